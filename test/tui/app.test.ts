import { Console } from 'node:console'
import { render } from 'ink-testing-library'
import { createElement } from 'react'
import { expect, it } from 'vitest'
import { App } from '../../tui/components/app.tsx'
import { frame } from '../../tui/frame.ts'
import { plainText } from '../../tui/lines.ts'
import type { Screen } from '../../tui/screen.ts'
import { THEMES } from '../../tui/theme.ts'
import { brokenRuleLog } from './logs.ts'
import { sourceOfLogs, stage } from './stage.ts'

Object.assign(console, { Console })

const settled = () => new Promise((done) => setTimeout(done, 50))

it('paints the frame of the session and takes several keys out of one chunk', async () => {
  const { session } = await stage(sourceOfLogs('broken.jsonl', brokenRuleLog()), [100, 24])
  session.theme = THEMES['no-color']
  const { stdin, lastFrame, unmount } = render(createElement(App, { session }))
  await settled()
  stdin.write('jjj')
  await settled()
  expect(lastFrame()).toContain('step 4 of 9')
  expect(session.screen.name).toBe('replay')
  stdin.write('\u001b[B')
  await settled()
  expect(lastFrame()).toContain('step 5 of 9')
  expect(plainText(frame(session))).toContain('step 5 of 9')
  unmount()
})

it('a screen that throws while it is painted ends the program with its error', async () => {
  const { session, asked } = await stage(sourceOfLogs('broken.jsonl', brokenRuleLog()), [100, 24])
  const broken: Screen = {
    name: 'text',
    title: () => [],
    lines: () => {
      throw new Error('a fault in a screen')
    },
    act: () => {},
  }
  const { unmount } = render(createElement(App, { session }))
  await settled()
  session.push(broken)
  await settled()
  expect(asked.quits).toHaveLength(1)
  expect(asked.quits[0]).toMatchObject({ message: 'a fault in a screen' })
  unmount()
})
