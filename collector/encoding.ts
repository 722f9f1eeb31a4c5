import type { IncomingHttpHeaders } from 'node:http'
import type { Encoding } from '../otlp/decode.ts'
import { Refusal } from './refusal.ts'

export const MEDIA_TYPES: Record<Encoding, string> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
}

/** The encoding that a content type names; undefined if it is none of OTLP's. */
export function encodingOf(headers: IncomingHttpHeaders): Encoding | undefined {
  const [type, ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (type === MEDIA_TYPES.protobuf) return 'protobuf'
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return type === MEDIA_TYPES.json && isUtf8 ? 'json' : undefined
}

/** True if the body is compressed. Throws a Refusal for a compression other than gzip. */
export function isGzip(headers: IncomingHttpHeaders): boolean {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (coding === 'identity' || coding === '') return false
  if (coding === 'gzip' || coding === 'x-gzip') return true
  throw new Refusal(415, `content encoding ${coding.slice(0, 40)}: send gzip or none`, {
    headers: { 'accept-encoding': 'gzip' },
  })
}
