import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bundledProgram } from '../../support/bundled-program.ts'

describe('the end of a process', () => {
  it('does not wait forever for a write to the disk that is pending', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'binnacle-'))
    const program = await bundledProgram(join(import.meta.dirname, '../../support/exit-while-writing.ts'))
    try {
      const { status, signal, stderr } = spawnSync(process.execPath, [program, dir], {
        timeout: 30_000,
        killSignal: 'SIGKILL',
        encoding: 'utf8',
      })
      expect([status, signal], stderr).to.deep.equal([3, null])
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})
