import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../../src/lib/clock.ts'
import type { Logger } from '../../../../src/lib/log.ts'
import { CommitFailure, commitFailure } from '../../../../src/storage/embedded/commit-failure.ts'
import { openEmbedded } from '../../../../src/storage/embedded/open-embedded.ts'
import { Store } from '../../../support/backend.ts'

const failureOf = (message: string, code: number): Error => Object.assign(new Error(message), { code })

describe('a commit that fails', () => {
  const causes: [name: string, cause: unknown, free: number | undefined, message: string][] = [
    ['the system reports a full disk', failureOf('No space left on device', 28), 0, 'no space left on device'],
    ['a write was cut short on a full disk', failureOf('Input/output error', 5), 4096, 'no space left on device'],
    ['a write was cut short with room to spare', failureOf('Input/output error', 5), 1 << 30, 'Input/output error'],
    ['the system does not report the free space', failureOf('Input/output error', 5), undefined, 'Input/output error'],
    ['a quota is met', failureOf('Disk quota exceeded', 122), 0, 'Disk quota exceeded'],
    ['the file may not be longer', failureOf('File too large', 27), 1 << 30, 'File too large'],
  ]
  for (const [name, cause, free, message] of causes) {
    it(`has the reason "${message}" if ${name}`, () => {
      const failure = commitFailure('/nowhere', cause, () => free)
      expect(failure).to.be.instanceOf(CommitFailure)
      expect(failure.message).to.equal(message)
      expect(failure.cause).to.equal(cause)
    })
  }

  it('is logged once, and once more at its end, however many writes fail and keys expire meanwhile', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'failure-'))
    const lines: string[] = []
    const line =
      (level: string): Logger['info'] =>
      (text, fields) =>
        void lines.push(`${level} ${text} ${JSON.stringify(fields)}`)
    const logger: Logger = { info: line('info'), warn: line('warn'), error: line('error'), debug: () => {} }
    let reason: string | undefined
    const options = {
      dir,
      wrapTables: (tables: Parameters<NonNullable<Parameters<typeof openEmbedded>[0]['wrapTables']>>[0]) => ({
        ...tables,
        // The callback runs, as where the disk refuses what it has put.
        commit: <T>(change: () => T): Promise<T> =>
          tables.commit(() => {
            const result = change()
            if (reason !== undefined) throw new CommitFailure(reason)
            return result
          }),
      }),
    }
    const backend = await openEmbedded(options, systemClock, logger)
    try {
      const store = new Store(backend, '/registry/')
      await store.put('expires', 0, 'x', 1)
      const messages = new Set<string>()
      for (const [now, writes] of [
        ['no space left on device', 5],
        ['Input/output error', 3],
        [undefined, 2],
        ['no space left on device', 4],
        [undefined, 1],
      ] as const) {
        reason = now
        const results = await Promise.allSettled(Array.from({ length: writes }, (_, i) => store.put(`${lines.length}-${i}`, 0, 'x')))
        for (const result of results) if (result.status === 'rejected') messages.add(`${result.reason.code}: ${result.reason.message}`)
        await store.put('again', 0, 'x').catch(() => {})
      }
      expect([...messages]).to.deep.equal([
        'unavailable: the store cannot commit: no space left on device',
        'unavailable: the store cannot commit: Input/output error',
      ])
      const failed = (error: string): string =>
        `error the store cannot write to disk: stored data is intact, and writes are rejected until they can be stored ${JSON.stringify({ path: dir, error })}`
      const over = (before: string): string => `info the store accepts writes again ${JSON.stringify({ path: dir, before })}`
      expect(lines).to.deep.equal([
        failed('no space left on device'),
        failed('Input/output error'),
        over('Input/output error'),
        failed('no space left on device'),
        over('no space left on device'),
      ])
    } finally {
      await backend.close()
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
