import { expect, it } from 'vitest'
import { mount } from '../../tui/mount.tsx'
import { Painter } from '../../tui/painter.ts'
import type { Screen } from '../../tui/screen.ts'
import { brokenRuleLog } from './logs.ts'
import { emulator, sourceOfLogs, stage } from './stage.ts'

const settled = () => new Promise((done) => setTimeout(done, 50))

async function mounted() {
  const { session, asked } = await stage(sourceOfLogs('broken.jsonl', brokenRuleLog()), [100, 24])
  const { streams, stdin, screen } = emulator(100, 24)
  const written: string[] = []
  const painter = new Painter((text) => {
    written.push(text)
    streams.stdout.write(text)
  })
  const { unmount } = mount(session, streams, (lines) => painter.paint(lines))
  await settled()
  return { session, asked, stdin, screen, written, unmount }
}

it('paints the frame of the session and takes several keys out of one chunk', async () => {
  const { session, stdin, screen, unmount } = await mounted()
  stdin.write('jjj')
  await settled()
  expect(screen()).toContain('step 4 of 9')
  expect(session.screen.name).toBe('replay')
  stdin.write('\u001b[B')
  await settled()
  expect(screen()).toContain('step 5 of 9')
  unmount()
})

it('writes only the lines that a key changes', async () => {
  const { stdin, written, unmount } = await mounted()
  const lines = () => [...written.at(-1)!.matchAll(/\[(\d+);1H/gu)].map(([, row]) => Number(row))
  expect(lines()).toHaveLength(23)
  stdin.write(':')
  await settled()
  // The footer gives its line to what is typed.
  expect(lines()).toEqual([23])
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
  await settled()
  expect(asked.quits).toHaveLength(1)
  expect(asked.quits[0]).toMatchObject({ message: 'a fault in a screen' })
  unmount()
})
