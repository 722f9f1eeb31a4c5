import { expect, it } from 'vitest'
import { mount } from '../../tui/mount.tsx'
import { Painter } from '../../tui/painter.ts'
import type { Screen } from '../../tui/screen.ts'
import { brokenRuleLog } from './logs.ts'
import { emulator, sourceOfLogs, stage } from './stage.ts'

async function mounted() {
  const { session, asked } = await stage(sourceOfLogs('broken.jsonl', brokenRuleLog()), [100, 24])
  const { streams, stdin, screen } = emulator(100, 24)
  const written: string[] = []
  const painter = new Painter((text) => {
    written.push(text)
    streams.stdout.write(text)
  })
  const { unmount } = mount(session, streams, (lines) => painter.paint(lines))
  await expect.poll(screen).toContain('step 1 of 9')
  return { session, asked, stdin, screen, written, unmount }
}

it('paints the frame of the session and takes several keys out of one chunk', async () => {
  const { session, stdin, screen, unmount } = await mounted()
  stdin.write('jjj')
  await expect.poll(screen).toContain('step 4 of 9')
  expect(session.screen.name).toBe('replay')
  stdin.write('\u001b[B')
  await expect.poll(screen).toContain('step 5 of 9')
  unmount()
})

// What a terminal sends for Escape and the next key, pressed within one write: the page of keys is left, then the key acts.
it.each([
  ['a letter', 'j', 'step 2 of 9'],
  ['several letters', 'jjj', 'step 4 of 9'],
  ['a sign', ':', '\n:'],
  ['a bracket, with which sequences begin', ']', 'step 2 of 9'],
  ['an arrow', '\u001b[B', 'step 2 of 9'],
  ['the arrow of application mode', '\u001bOB', 'step 2 of 9'],
])('Escape and %s in one chunk are two keys', async (_, next, shown) => {
  const { stdin, screen, session, unmount } = await mounted()
  stdin.write('?')
  await expect.poll(() => session.screen.name).toBe('text')
  stdin.write(`\u001b${next}`)
  await expect.poll(() => session.screen.name).toBe('replay')
  await expect.poll(screen).toContain(shown)
  unmount()
})

it('an Escape alone acts although nothing follows, and so does each of several', async () => {
  const { stdin, session, unmount } = await mounted()
  stdin.write('?')
  await expect.poll(() => session.screen.name).toBe('text')
  stdin.write('\u001b')
  await expect.poll(() => session.screen.name).toBe('replay')
  stdin.write('v?')
  await expect.poll(() => session.screens).toHaveLength(4)
  stdin.write('\u001b\u001b')
  await expect.poll(() => session.screen.name).toBe('replay')
  expect(session.screens).toHaveLength(2)
  unmount()
})

it('a sequence whose parts come apart is still one key', async () => {
  const { stdin, screen, session, unmount } = await mounted()
  stdin.write('jj?')
  await expect.poll(() => session.screen.name).toBe('text')
  const parts = ['\u001b', '[', '200', '~', '\u001b[', '<64;1', '0;5M', '\u001bO', 'P', '\u001b[1;', '5A']
  for (const part of parts) {
    stdin.write(part)
    // A sequence that has a number already is waited for, however slow the line.
    await new Promise((done) => (/\d/u.test(part) ? setTimeout(done, 60) : setImmediate(done)))
  }
  // None of it was Escape, nor anything that opens a line or another screen.
  expect(session.screen.name).toBe('text')
  expect(session.prompt).toBeUndefined()
  stdin.write('\u001b')
  await expect.poll(screen).toContain('step 3 of 9')
  unmount()
})

it('writes only the lines that a key changes', async () => {
  const { stdin, written, unmount } = await mounted()
  const lines = () => [...written.at(-1)!.matchAll(/\[(\d+);1H/gu)].map(([, row]) => Number(row))
  expect(lines()).toHaveLength(23)
  stdin.write(':')
  // The footer gives its line to what is typed.
  await expect.poll(lines).toEqual([23])
  unmount()
})

it('a screen that throws while it is painted ends the program with its error', async () => {
  const { session, asked, unmount } = await mounted()
  const broken: Screen = {
    name: 'text',
    title: () => [],
    lines: () => {
      throw new Error('a fault in a screen')
    },
    act: () => {},
  }
  session.push(broken)
  await expect.poll(() => asked.quits).toHaveLength(1)
  expect(asked.quits[0]).toMatchObject({ message: 'a fault in a screen' })
  unmount()
})
