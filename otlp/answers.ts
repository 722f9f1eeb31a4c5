import { create, toBinary } from '@bufbuild/protobuf'
import type { Encoding } from './decode.ts'
import { ExportResponseSchema, RpcStatusSchema } from './gen/common_pb.ts'

/** What a request was for. */
export type Signal = 'traces' | 'logs'

/** Some records of a request were not kept; none of them is to be sent again. */
export type PartialSuccess = { rejected: number; message: string }

/** ExportTraceServiceResponse or ExportLogsServiceResponse. Without `partial`, everything was kept. */
export function successAnswer(signal: Signal, encoding: Encoding, partial?: PartialSuccess): Uint8Array {
  if (encoding === 'protobuf') {
    const partialSuccess =
      partial === undefined
        ? undefined
        : { rejected: BigInt(partial.rejected), errorMessage: partial.message }
    return toBinary(ExportResponseSchema, create(ExportResponseSchema, { partialSuccess }))
  }
  if (partial === undefined) return Buffer.from('{}')
  const count = signal === 'traces' ? 'rejectedSpans' : 'rejectedLogRecords'
  // An int64 is text in protobuf's JSON.
  const partialSuccess = { [count]: String(partial.rejected), errorMessage: partial.message }
  return Buffer.from(JSON.stringify({ partialSuccess }))
}

/** google.rpc.Status: what every answer of 4xx and 5xx holds. `code` is one of gRPC's. */
export function statusAnswer(encoding: Encoding, code: number, message: string): Uint8Array {
  return encoding === 'protobuf'
    ? toBinary(RpcStatusSchema, create(RpcStatusSchema, { code, message }))
    : Buffer.from(JSON.stringify({ code, message }))
}
