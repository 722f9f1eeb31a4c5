import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { DecodeError } from './decode-error.ts'
import { NESTED_AT_MOST, RECORDS_AT_MOST } from './limits.ts'

/** One span or log record of a request, still encoded, with the resource and the scope that it belongs to. */
export type EncodedRecord = { resource: Uint8Array; scope: Uint8Array; record: Uint8Array }

/*
 * The layers of a request, the same for traces and logs: field 1 of the request are groups of one resource, field 1 of
 * such a group is the resource and field 2 groups of one scope, field 1 of these is the scope and field 2 the records.
 * They are taken apart by hand so that one record is decoded at a time: as one message, a request of 64 MiB would take
 * gigabytes.
 */

const FIRST = 1
const SECOND = 2

/** The records of a request. Throws what the reader throws on bytes that are no protobuf message. */
export function* recordsOf(request: Uint8Array): Generator<EncodedRecord> {
  let records = 0
  for (const ofResource of fieldsOf(request, FIRST)) {
    const resource = lastOf(ofResource, FIRST)
    for (const ofScope of fieldsOf(ofResource, SECOND)) {
      const scope = lastOf(ofScope, FIRST)
      for (const record of fieldsOf(ofScope, SECOND)) {
        if (++records > RECORDS_AT_MOST) {
          throw new DecodeError(`more than ${RECORDS_AT_MOST} records: send smaller batches`, 'too-large')
        }
        yield { resource, scope, record }
      }
    }
  }
}

/** Every value of one field that holds bytes; all other fields are passed over. */
function* fieldsOf(message: Uint8Array, number: number): Generator<Uint8Array> {
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === number && type === WireType.LengthDelimited) yield reader.bytes()
    else reader.skip(type, field, NESTED_AT_MOST)
  }
}

const NOTHING = new Uint8Array()

function lastOf(message: Uint8Array, number: number): Uint8Array {
  let last: Uint8Array = NOTHING
  for (const value of fieldsOf(message, number)) last = value
  return last
}
