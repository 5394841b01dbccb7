import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../../src/lib/log.ts'
import { warnOfMissingStore } from '../../../src/process/missing-store.ts'

describe('a data directory without a store', () => {
  const cases: readonly (readonly [name: string, files: readonly string[], present: readonly string[] | undefined])[] = [
    ['is new if it is empty', [], undefined],
    ['is new if it is the root of a file system', ['lost+found/'], undefined],
    ['is new if its store directory is empty', ['store/'], undefined],
    ['is a warning if keys are there', ['pki/', 'pki/ca.key', 'admin.kubeconfig'], ['admin.kubeconfig', 'pki']],
    ['is a warning if the store has left its lock', ['store/', 'store/lock', 'store/lock.mdb'], ['store/lock', 'store/lock.mdb']],
    ['is not reported if the data file exists', ['store/', 'store/lock', 'store/data.mdb', 'pki/'], undefined],
  ]
  for (const [name, files, present] of cases)
    it(name, () => {
      const dir = mkdtempSync(join(tmpdir(), 'missing-'))
      try {
        for (const file of files) {
          if (file.endsWith('/')) mkdirSync(join(dir, file))
          else writeFileSync(join(dir, file), 'x')
        }
        const warnings: unknown[] = []
        warnOfMissingStore(dir, { ...silentLogger, warn: (_, fields) => void warnings.push(fields) })
        expect(warnings).to.deep.equal(present === undefined ? [] : [{ missing: join(dir, 'store/data.mdb'), present }])
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    })
})
