import { type FileHandle, open } from 'node:fs/promises'
import { formatOf, readDecoded, readEntries, type SpanFormat } from '../importers/index.ts'
import { isObject } from '../model/json.ts'
import type { Span } from '../otlp/span.ts'
import { StoreError } from './errors.ts'
import type { BadLine } from './event-row.ts'
import { Line, type LineBatch, readLines } from './lines.ts'
import { badLine, type SpanBatch } from './load-spans.ts'
import { refuseUtf16 } from './refuse-utf16.ts'
import { readSpanRow, type SpanRow } from './span-row.ts'

/** A file with spans: an OTLP request in protobuf, one JSON document, or a document a line. */
export type SpanFile = 'protobuf' | 'lines' | { document: unknown; format: SpanFormat; text: string }

// A whole document has to be held in memory; a Collector writes a request a line, of which any number is read.
const DOCUMENT_BYTES = 256 * 1024 * 1024
const HEAD_BYTES = 64 * 1024

const READ =
  'a run log (JSON lines), OTLP (JSON, JSON lines or protobuf), or an export of OpenAI, Langfuse or LangSmith; docs/foreign-spans.md has the list'

/**
 * What a file holds, by its content; `other` is a JSON document in no form that is read. Anything that is neither spans nor
 * a JSON document is taken for a run log, whose lines are judged one by one. Throws `unreadable` for one that is too large, or in UTF-16.
 */
export async function recogniseFile(file: FileHandle, path: string): Promise<'run-log' | 'other' | SpanFile> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = buffer.subarray(0, bytesRead)
  refuseUtf16(head, path)
  if (isProtobuf(head)) return 'protobuf'
  const first = await firstLine(file)
  if (first === undefined) return 'run-log'
  const value = parse(first)
  if (isObject(value) && typeof value.run === 'string' && typeof value.kind === 'string') return 'run-log'
  if (value !== undefined && !Array.isArray(value) && formatOf(value) !== undefined) return 'lines'
  // Not one line by itself: a document over many lines, or a list.
  const start = first.trimStart()[0]
  if (start !== '{' && start !== '[') return 'run-log'
  const { size } = await file.stat()
  if (size > DOCUMENT_BYTES) {
    throw new StoreError('unreadable', `${path} is one JSON document of more than 256 MB.`, {
      path,
      remedy: 'Export it as JSON lines, or in parts.',
    })
  }
  const text = (await readAll(file, size)).toString('utf8')
  const document = parse(text)
  if (document === undefined) return 'run-log'
  const format = formatOf(document)
  if (format !== undefined) return { document, format, text }
  return isObject(document) && !text.trimEnd().includes('\n') ? 'run-log' : 'other'
}

/** The same of a path. Throws what the file system throws, too. */
export async function recognisePath(path: string): Promise<'run-log' | 'other' | SpanFile> {
  const file = await open(path, 'r')
  try {
    return await recogniseFile(file, path)
  } finally {
    await file.close()
  }
}

/** What to say of a JSON document in no form that is read. */
export function noSpans(path: string): StoreError {
  return new StoreError('unreadable', `${path} is JSON, but holds no spans in a form that is read.`, {
    path,
    remedy: `Import ${READ}.`,
  })
}

/** The spans of a file in batches. What cannot be read goes to quarantine with the number of its line or entry. */
export async function* readSpanFile(
  file: FileHandle,
  form: SpanFile,
  name: string,
): AsyncGenerator<SpanBatch> {
  if (form === 'lines') {
    for await (const batch of readLines(file, { offset: 0, number: 1 }, { final: true })) {
      yield spansOfLines(batch, name)
    }
    return
  }
  const { size } = await file.stat()
  const spans =
    form === 'protobuf'
      ? await readProtobuf(await readAll(file, size))
      : readEntries(form.document, form.format, form.text)
  const rows: SpanRow[] = []
  const bad: BadLine[] = []
  let entry = 0
  for (const { span, reason } of spans) {
    entry++
    const place = Line.of(`entry ${entry}`, entry)
    if (span !== undefined) rows.push(rowOf(span, name))
    else if (reason !== undefined) bad.push(badLine(place, name, reason))
  }
  yield { rows, bad, next: { offset: size, number: 2 } }
}

// Such files are rare, and the library for them takes as long to load as a tenth of a command.
async function readProtobuf(request: Uint8Array) {
  const { spansOfProto } = await import('../otlp/decode-proto.ts')
  return readDecoded(spansOfProto(request))
}

function spansOfLines(batch: LineBatch, name: string): SpanBatch {
  const rows: SpanRow[] = []
  const bad: BadLine[] = []
  for (const line of batch.lines) {
    const value = line.tooLong ? undefined : parse(line.text)
    const format = value === undefined ? undefined : formatOf(value)
    if (format === undefined) {
      bad.push(
        badLine(line, name, value === undefined ? 'not valid JSON' : 'no spans in a form that is read'),
      )
      continue
    }
    for (const { span, reason } of readEntries(value, format, line.text)) {
      if (span !== undefined) rows.push(rowOf(span, name))
      else if (reason !== undefined) bad.push(badLine(line, name, reason))
    }
  }
  return { rows, bad, next: batch.next }
}

function rowOf(span: Span, name: string): SpanRow {
  const line = JSON.stringify(span)
  return readSpanRow(span, line, Buffer.byteLength(line), name)
}

/** An OTLP request begins with its first field, a length and bytes that are no text. A JSON file has none of these. */
function isProtobuf(head: Buffer): boolean {
  return (
    head[0] === 0x0a &&
    head.length > 2 &&
    head.subarray(1, 64).some((byte) => byte < 9 || (byte > 13 && byte < 32))
  )
}

async function firstLine(file: FileHandle): Promise<string | undefined> {
  for await (const { lines } of readLines(file, { offset: 0, number: 1 }, { final: true })) {
    const [line] = lines
    if (line !== undefined) return line.tooLong ? undefined : line.text
  }
  return undefined
}

async function readAll(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  let done = 0
  while (done < size) {
    const { bytesRead } = await file.read(bytes, done, size - done, done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
