import { cutMiddle } from '../lines.ts'

/** An id or a name as it stands among other words: short enough that they keep their room, and seen where it is empty. */
export function nameShown(name: string, width = 30): string {
  return name === '' ? '""' : cutMiddle(name, width)
}
