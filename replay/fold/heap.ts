/** A heap: the smallest of its members first, in logarithmic time. */
export class Heap<T> {
  readonly #members: T[] = []
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  push(member: T): void {
    const members = this.#members
    let at = members.length
    members.push(member)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(member, members[parent]!)) break
      members[at] = members[parent]!
      at = parent
    }
    members[at] = member
  }

  /** Takes the smallest out; undefined if none is left. */
  pop(): T | undefined {
    const members = this.#members
    const first = members[0]
    const last = members.pop()
    if (members.length === 0 || last === undefined) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= members.length) break
      if (child + 1 < members.length && this.#before(members[child + 1]!, members[child]!)) child++
      if (!this.#before(members[child]!, last)) break
      members[at] = members[child]!
      at = child
    }
    members[at] = last
    return first
  }
}
