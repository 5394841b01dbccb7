import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runAtChanges } from '../../../src/check/watch-input.ts'

describe('runs at changes', () => {
  it('runs at once, again after a change, and ends with the signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-watch-'))
    const file = join(folder, 'a.yaml')
    writeFileSync(file, 'a')
    const ended = new AbortController()
    let runs = 0
    try {
      await runAtChanges(
        [file],
        async () => {
          runs++
          if (runs === 1) setTimeout(() => writeFileSync(file, 'b'), 50)
          else ended.abort()
        },
        ended.signal,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
    expect(runs).to.equal(2)
  })
})
