import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { complaints, handspan, newFolder, runNode } from '../cli/command.ts'

const PROGRAMS = import.meta.dirname
const ended: (() => void)[] = []

afterEach(() => {
  for (const end of ended.splice(0)) end()
})

function program(name: string, ...args: string[]): string[] {
  return [join(PROGRAMS, name), ...args]
}

/** Starts the receiving process and gives its address. */
async function receiver(folder: string): Promise<string> {
  const child = spawn(process.execPath, program('receiver.mjs'), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  ended.push(() => child.kill('SIGKILL'))
  const [port] = (await new Promise<Buffer>((done) => child.stdout.once('data', done))).toString().split('\n')
  return `http://127.0.0.1:${port}/`
}

type Diffed = {
  handoffs: {
    handoff: string
    complete: boolean
    operations: Record<string, unknown>[]
    settling: object[]
  }[]
}

async function diffOf(run: string, cwd: string): Promise<Diffed['handoffs']> {
  const { stdout, stderr } = await handspan(['diff', run, '--json'], { cwd })
  expect(complaints(stderr)).toBe('')
  return (JSON.parse(stdout) as Diffed).handoffs
}

describe('two processes over HTTP', () => {
  it('are one run, and the key that crossed in the record was closed before the receiver wrote', async () => {
    const folder = newFolder()
    const sent = await runNode(program('sender.mjs', await receiver(folder), 'record'), { cwd: folder })
    const run = sent.stdout.trim()
    const [diff] = await diffOf(run, folder)
    expect(diff).toMatchObject({ complete: true, from: 'orders', by: 'billing' })
    expect(diff!.operations[0]).toMatchObject({
      key: 'order-4711:reserve',
      inDoubt: true,
      degree: 'carried',
      timings: { landed: 'safe', delayed: 'safe' },
    })
    expect(diff!.settling).toEqual([expect.objectContaining({ order: 'before planning', how: 'closed' })])
    expect((await handspan(['check', run], { cwd: folder })).code).toBe(0)
    const writers = await handspan(
      ['sql', 'SELECT count(DISTINCT writer) AS writers FROM events', '--json'],
      { cwd: folder },
    )
    expect(JSON.parse(writers.stdout).rows).toEqual([{ writers: 2 }])
  })

  it('show the key that stayed behind', async () => {
    const folder = newFolder()
    const sent = await runNode(program('sender.mjs', await receiver(folder), 'words'), { cwd: folder })
    const run = sent.stdout.trim()
    const [diff] = await diffOf(run, folder)
    expect(diff!.operations[0]).toMatchObject({ degree: 'mentioned', matched: 'Reserving 40 now.' })
    const checked = await handspan(['check', run], { cwd: folder })
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain('op-in-doubt-key-missing')
  })
})

describe('a sender killed between dispatch and reply', () => {
  /** A warehouse that takes the request and says nothing; resolves when a request has arrived. */
  function silentWarehouse(): Promise<{ url: string; arrived: Promise<void> }> {
    return new Promise((done) => {
      let arrive: () => void
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      const server: Server = createServer(() => arrive())
      ended.push(() => {
        server.closeAllConnections()
        server.close()
      })
      server.listen(0, '127.0.0.1', () =>
        done({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, arrived }),
      )
    })
  }

  it('leaves the operation in doubt, and the diff of its restart says that the key did not cross', async () => {
    const folder = newFolder()
    const { url, arrived } = await silentWarehouse()
    const child = spawn(process.execPath, program('killed-sender.mjs', url, 'order-run'), { cwd: folder })
    await arrived
    child.kill('SIGKILL')
    await new Promise((done) => child.on('close', done))

    const replayed = await handspan(['replay', 'order-run'], { cwd: folder })
    expect(replayed.stdout).toMatch(/reserve_stock +write +sent +key order-4711:reserve +IN DOUBT/)

    await runNode(program('restarted-sender.mjs', 'order-run'), { cwd: folder })
    const [diff] = await diffOf('order-run', folder)
    expect(diff!.operations[0]).toMatchObject({
      key: 'order-4711:reserve',
      state: 'sent',
      inDoubt: true,
      degree: 'absent',
    })
    const checked = await handspan(['check', 'order-run', '--json'], { cwd: folder })
    const found = JSON.parse(checked.stdout).runs[0].findings.map(({ check }: { check: string }) => check)
    expect(found).toContain('op-in-doubt-key-missing')
  })
})
