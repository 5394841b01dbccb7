import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs the tests of this folder, which measure processor time, and then all tests that have bounds of time
 * (`support/time-bounds.ts`, `turn-cost.ts`) with these on, one after the other.
 */
const root = join(import.meta.dirname, '../..')
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => join('test', file))
  .filter(
    file =>
      file.startsWith(join('test', 'bench')) || /\/support\/(?:time-bounds|turn-cost)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  )
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/mocha/bin/mocha.js'), '--reporter', 'dot', ...files.sort()], {
  cwd: root,
  env: { ...process.env, TIME_BOUNDS: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
