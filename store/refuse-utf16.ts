import { StoreError } from './errors.ts'

/** Some editors and shells write UTF-16. Each of its lines would be called no JSON. Throws `unreadable`. */
export function refuseUtf16(head: Uint8Array, name: string): void {
  const [first, second] = head
  if (!((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))) return
  throw new StoreError('unreadable', `${name} is written in UTF-16.`, {
    path: name,
    remedy: 'Save it as UTF-8.',
  })
}
