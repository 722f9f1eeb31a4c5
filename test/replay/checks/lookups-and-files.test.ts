import { describe, expect, it } from 'vitest'
import {
  crossed,
  type Entry,
  end,
  findingsOf,
  item,
  judge,
  message,
  operation,
  raised,
  read,
  received,
  sent,
  start,
} from '../run-builder.ts'

/* Faults that stand in other fields or forms than in the cases that are known, each with its innocent twin. */

describe('a result taken out of a list that was found by details', () => {
  const court = { day: 'Sat', hour: 10, players: 2 }
  const open = { op: 'op-1', tool: 'book_court', args: court, key: 'court:88', state: 'unknown' }
  const settling = (result: unknown, ...between: Entry[]) =>
    raised(
      judge(
        start(),
        operation('desk', 'op-1', 'book_court', court, 'unknown', { key: 'court:88' }),
        ...crossed('h1', 'desk', 'courts', [item.user('u1', 'A court on Saturday at ten')], {
          record: { open_operations: [open] },
        }),
        ...between,
        operation('courts', 'op-1', 'book_court', court, 'settled', { key: 'court:88', result }),
        end(),
      ),
    )
  const found = (result: unknown, args: object = { day: 'Sat', hour: 10 }) =>
    read('courts', 'op-2', 'find_bookings', args, 'settled', { result })

  it.each([
    ['B-12 Sat 10:00 x2', 'B-12'],
    [
      [
        { booking: 'R1', day: 'Sat' },
        { booking: 'R2', day: 'Sun' },
      ],
      { booking: 'R1' },
    ],
    ['R1', 'R1'],
  ])('is raised for %j of which %j is taken', (answer, result) => {
    expect(settling(result, found(answer))).toContain('settled-by-details')
  })

  it.each([
    ['B-12 Sat 10:00 x2', 'B-13', undefined],
    ['ok', 'ok', undefined],
    ['10 bookings', '10', undefined],
    ['B-12 Sat', 'B-12', { key: 'court:88', day: 'Sat' }],
    ['B-12 Mon', 'B-12', { day: 'Mon' }],
  ])('is silent for %j and %j', (answer, result, args) => {
    expect(settling(result, found(answer, args))).not.toContain('settled-by-details')
  })
})

describe('a file in the form of any kit', () => {
  const words = 'Read this receipt'
  const over = (before: object, after: object) =>
    raised(
      judge(
        start(),
        sent('h1', 'client', 'ocr', { items_before: [before] }),
        received('h1', 'ocr', { items: [after] }),
        end(),
      ),
    )

  it.each([
    [
      'A2A 0.3',
      { kind: 'text', text: words },
      { kind: 'file', file: { name: 'r.pdf', uri: 'https://x.example/r.pdf' } },
    ],
    ['A2A 1.0', { text: words }, { raw: 'JVBERi0xLjQK', filename: 'r.pdf', mediaType: 'application/pdf' }],
    [
      'the A2A library',
      { content: { $case: 'text', value: words } },
      { content: { $case: 'url', value: 'https://x.example/r.pdf' }, filename: 'r.pdf' },
    ],
    ['Bedrock', { text: words }, { image: { format: 'png', source: { bytes: 'iVBORw0KGgo' } } }],
  ])('%s: is raised when only the words cross', (_, text, file) => {
    const whole = { role: 'user', parts: [text, file] }
    expect(over(whole, { role: 'user', parts: [text] })).toEqual(['attachment-dropped'])
    expect(over(whole, whole)).toEqual([])
  })

  const LISTS = ['attachments', 'files', 'experimental_attachments', 'images', 'audio', 'videos']
  it.each(LISTS)('the same for a list of %s', (field) => {
    const whole = {
      role: 'user',
      content: words,
      [field]: [{ name: 'r.pdf', url: 'https://x.example/r.pdf' }],
    }
    expect(over(whole, { role: 'user', content: words })).toEqual(['attachment-dropped'])
    expect(over(whole, whole)).toEqual([])
  })
})

describe('files that are listed beside the words', () => {
  const message = (...images: unknown[]) => ({ role: 'user', content: 'Check the attached list.', images })
  const over = (before: object, after: object) =>
    findingsOf(
      judge(
        start(),
        sent('h1', 'lead', 'checker', { mode: 'delegate', items_before: [before] }),
        received('h1', 'checker', { items: [after] }),
        end(),
      ),
      'attachment-dropped',
    )

  it.each([
    ['an address', { url: 'https://x.example/list.png' }],
    ['a place on a disk', { id: 'i-1', filepath: '/tmp/list.png' }],
    ['its content alone', { id: 'i-1', content: 'iVBORw0KGgo', mime_type: 'image/png' }],
    ['nothing but bytes', 'iVBORw0KGgo'],
  ])('are known by %s', (_, image) => {
    expect(over(message(image), message())).toHaveLength(1)
    expect(over(message(image), message(image))).toEqual([])
  })

  it('are called by the name that is shown', () => {
    const inlineData = { mimeType: 'image/png', displayName: 'list.png', data: 'iVBORw0KGgo' }
    const words = { text: 'Check the attached list.' }
    const [finding] = over({ role: 'user', parts: [words, { inlineData }] }, { role: 'user', parts: [words] })
    expect(finding?.message).toContain('list.png')
  })
})

describe('an escalation to a queue', () => {
  const escalated = (...after: Entry[]) =>
    raised(
      judge(
        start(),
        sent('h1', 'bot', 'queue:tier-2', {
          mode: 'escalate',
          items_before: [item.user('u1', 'I want a manager')],
        }),
        ...after,
        end(),
      ),
    )
  const promised = message('assistant', 'A manager will be with you.', { agent: 'bot' })
  const again = message('user', 'Is anyone there?', { agent: 'bot' })

  it('has arrived nowhere when the user speaks again and nobody answers', () => {
    expect(escalated(promised, again)).toEqual(['handoff-dropped'])
  })

  it('is not judged by the queue, which keeps no log, nor when somebody answers', () => {
    expect(escalated(promised)).toEqual([])
    expect(escalated(promised, again, message('assistant', 'Still in the queue.', { agent: 'bot' }))).toEqual(
      [],
    )
    expect(escalated(promised, again, message('assistant', 'Ida here.', { agent: 'ida' }))).toEqual([])
  })
})

describe('an answer that comes while the handoff travels', () => {
  const args = { day: 1 }
  const open = { op: 'op-1', tool: 'rent_van', args, key: 'van-1', state: 'sent' }
  const record = { open_operations: [open] }
  const words = [item.user('u1', 'Rent a van for the first')]
  const rent = (state: string) =>
    operation('desk', 'op-1', 'rent_van', args, state, { key: 'van-1', result: 'V1' })
  const invoice = operation('billing', 'op-2', 'send_invoice', args, 'settled', {
    key: 'inv-1',
    result: 'I1',
  })
  const planned = (onTheWay: Entry[], afterwards: Entry[] = []) =>
    raised(
      judge(
        start(),
        operation('desk', 'op-1', 'rent_van', args, 'sent', { key: 'van-1' }),
        sent('h1', 'desk', 'billing', { items_before: words, record }),
        ...onTheWay,
        received('h1', 'billing', { items: words, record }),
        invoice,
        ...afterwards,
        end(),
      ),
    )

  it('settles what is open, and one that comes after the receiver wrote does not', () => {
    expect(planned([rent('settled')])).toEqual([])
    expect(planned([rent('unknown')])).toEqual(['not-settled-before-planning'])
    expect(planned([], [rent('settled')])).toEqual(['not-settled-before-planning'])
  })
})
