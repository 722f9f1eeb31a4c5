import { type FileHandle, open } from 'node:fs/promises'

/** A complete line of a segment, without its line feed. `text` is undefined if it is longer than can be sent. */
export type SegmentLine = { offset: number; bytes: number; text: string | undefined }

/** Complete lines in their order, where the next one begins, and how many bytes of an unfinished line follow. */
export type SegmentLines = { lines: SegmentLine[]; next: number; torn: number }

/** No agent writes a longer line, and a request could not hold it. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

const LINE_FEED = 10

/**
 * Reads the lines of a file from an offset on, about `bytes` of them and at least one, whatever its length. Holds what it
 * reads in memory, of a line over the limit only its length. Throws what the file system throws.
 */
export async function readSegment(path: string, offset: number, bytes: number): Promise<SegmentLines> {
  const file = await open(path, 'r')
  try {
    let data: Buffer = Buffer.alloc(0)
    for (let want = bytes; data.length < MAX_LINE_BYTES; want = data.length) {
      const more = await readAt(file, offset + data.length, want)
      if (more.length === 0) return { lines: [], next: offset, torn: data.length }
      data = data.length === 0 ? more : Buffer.concat([data, more])
      const end = data.lastIndexOf(LINE_FEED)
      if (end >= 0) return splitLines(data.subarray(0, end + 1), offset, data.length - end - 1)
    }
    const end = await lineFeedAfter(file, offset + data.length)
    if (end.at === undefined) return { lines: [], next: offset, torn: end.size - offset }
    return {
      lines: [{ offset, bytes: end.at - offset, text: undefined }],
      next: end.at + 1,
      torn: 0,
    }
  } finally {
    await file.close()
  }
}

function splitLines(data: Buffer, offset: number, torn: number): SegmentLines {
  const lines: SegmentLine[] = []
  for (let start = 0; start < data.length; ) {
    const end = data.indexOf(LINE_FEED, start)
    const text = data.toString('utf8', start, end)
    // Blank lines hold nothing that could get lost.
    if (text.trim() !== '') lines.push({ offset: offset + start, bytes: end - start, text })
    start = end + 1
  }
  return { lines, next: offset + data.length, torn }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, position)
  return buffer.subarray(0, bytesRead)
}

async function lineFeedAfter(file: FileHandle, from: number): Promise<{ at?: number; size: number }> {
  for (let position = from; ; ) {
    const data = await readAt(file, position, 1024 * 1024)
    if (data.length === 0) return { size: position }
    const found = data.indexOf(LINE_FEED)
    if (found >= 0) return { at: position + found, size: position }
    position += data.length
  }
}
