import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** An empty project into which the packed tarball was installed, as a user would. The caller removes the folder. */
export function packedProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'handspan-packed-'))
  const npm = (...args: string[]) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' }),
  ) as {
    filename: string
  }[]
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module' }),
  )
  npm('install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, packed[0]!.filename))
  return folder
}
