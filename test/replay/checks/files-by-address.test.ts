import { describe, expect, it } from 'vitest'
import { end, findingsOf, item, judge, received, sent, start } from '../run-builder.ts'

/* A file that is known by its address alone is called by what stands at the end of it. */

const asking = (...parts: object[]) => ({
  id: 'h0',
  role: 'user',
  content: [{ type: 'text', text: 'Which clauses are unusual?' }, ...parts],
})
const dropped = (part: object, brief: string) =>
  findingsOf(
    judge(
      start(),
      sent('h1', 'lead', 'reader', { mode: 'delegate', items_before: [asking(part)], brief }),
      received('h1', 'reader', { items: [item.user('b0', brief)] }),
      end(),
    ),
    'attachment-dropped',
  )

const ADDRESS = 'https://files.example/up/contract-4.pdf'
const inGemini = { type: 'media', mime_type: 'application/pdf', file_uri: 'gs://up/contract-4.pdf' }

describe('a file with an address and no name', () => {
  it.each([
    ['an address in a field', inGemini],
    ['an image', { type: 'image_url', image_url: { url: 'https://files.example/contract-4.pdf?sig=a/b.c' } }],
    ['a source', { type: 'document', source: { type: 'url', url: `${ADDRESS}#page=2` } }],
    ['a path', { type: 'file', path: 'C:\\up\\contract-4.pdf' }],
  ])('is missed by its name in the brief (%s)', (_, part) => {
    const [finding, ...more] = dropped(part, 'Find unusual clauses in contract-4.pdf.')
    expect(more).toEqual([])
    expect(finding?.message).toContain('contract-4.pdf (items_before[0]')
  })

  it('is not missed where the words pass on the address or the path to it', () => {
    const part = { type: 'document', source: { type: 'url', url: ADDRESS } }
    expect(dropped(part, `Find unusual clauses in ${ADDRESS}.`)).toEqual([])
    expect(dropped({ type: 'file', path: '/repo/src/app.ts' }, 'Look through src/app.ts.')).toEqual([])
    expect(dropped({ type: 'file', path: 'app.ts' }, 'Look through app.ts.')).toEqual([])
  })

  it('has no name where the address ends in an id, a version or a host', () => {
    for (const url of ['https://x.example/files/4711', 'https://x.example/api/v1.5', 'https://contract.pdf'])
      expect(dropped({ type: 'image_url', image_url: { url } }, 'See 4711, v1.5 and contract.pdf.')).toEqual(
        [],
      )
  })

  it('keeps the name that it was given', () => {
    const part = { type: 'file', name: 'lease.pdf', url: ADDRESS }
    expect(dropped(part, 'Find unusual clauses in the lease.pdf.')).toHaveLength(1)
    expect(dropped(part, 'Find unusual clauses in contract-5.pdf.')).toEqual([])
  })
})

describe('a file that each side knows by something else', () => {
  const upload = { type: 'input_file', file_id: 'file-9', filename: 'lease.pdf' }
  const crossing = (file: object) =>
    findingsOf(
      judge(
        start(),
        sent('h1', 'desk', 'reader', { items_before: [asking(upload)] }),
        received('h1', 'reader', { items: [asking(), file] }),
        end(),
      ),
      'attachment-dropped',
    )

  it('is known by its name, wherever it stands', () => {
    expect(crossing({ type: 'file', name: 'lease.pdf', role: 'user' })).toEqual([])
    expect(crossing({ type: 'file', uri: 'https://files.example/up/lease.pdf' })).toEqual([])
  })

  it('is missed beside a file of another name, or another upload', () => {
    expect(crossing({ type: 'file', name: 'plan.pdf', role: 'user' })).toHaveLength(1)
    expect(crossing({ type: 'file', file_id: 'file-8', name: 'lease.pdf' })).toHaveLength(1)
  })

  it('is the same under an address that was signed anew, or that stands where its content was', () => {
    const passed = (before: object, after: object) =>
      findingsOf(
        judge(
          start(),
          sent('h1', 'desk', 'reader', { items_before: [asking(before)] }),
          received('h1', 'reader', { items: [asking(), after] }),
          end(),
        ),
        'attachment-dropped',
      )
    const image = (url: string) => ({ type: 'file', url })
    const [old, signed] = ['a', 'b'].map((sig) => image(`https://files.example/up/roof.png?sig=${sig}`))
    expect(passed(old!, signed!)).toEqual([])
    expect(passed(image('https://x.example/get?id=1'), image('https://x.example/get?id=2'))).toHaveLength(1)
    const inline = (data: string) => ({ type: 'file', filename: 'roof.png', data })
    expect(passed(inline('iVBORw0KGgo='), inline('https://files.example/up/5f1c'))).toEqual([])
    expect(passed(inline('iVBORw0KGgo='), inline('R0lGODdhAQABAIAAAP'))).toHaveLength(1)
  })
})
