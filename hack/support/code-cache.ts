import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs the built `binnacle check`, and writes the code that it needed, as this Node compiles it. Throws an Error if it
 * does not run.
 */
export function makeCheckCache(root: string, file: string): void {
  const { status, error, stderr } = spawnSync(process.execPath, [join(root, 'hack/check-code-cache.mjs')], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, CODE_CACHE: file },
  })
  if (status !== 0) throw new Error(`the built check did not run:\n${error?.message ?? stderr}`)
}

/** Time in which a cluster registers its nodes, in milliseconds. */
const CLUSTER_SETTLES_MS = 2000

/**
 * Starts the built server once, stops it when it serves, and writes the code that this start needed, as this Node
 * compiles it. Throws an Error if the server does not run.
 */
export function makeCodeCache(root: string, file: string, flags: readonly string[] = []): void {
  const data = mkdtempSync(join(tmpdir(), 'binnacle-cache-'))
  const program = join(root, 'hack/code-cache.mjs')
  const { status, error, stderr } = spawnSync(process.execPath, [program, '--data-dir', data, '--secure-port', '0', ...flags], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, CODE_CACHE: file, ...(flags.length > 0 && { SETTLE_MS: String(CLUSTER_SETTLES_MS) }) },
  })
  rmSync(data, { recursive: true, force: true })
  if (status !== 0) throw new Error(`the built server did not run:\n${error?.message ?? stderr}`)
}
