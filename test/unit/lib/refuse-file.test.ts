import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorCode } from '../../../src/lib/error-code.ts'
import { makePrivateDirectory } from '../../../src/lib/private-file.ts'
import { refuseFile } from '../../../src/lib/refuse-file.ts'

describe('refuse-file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
  const file = join(directory, 'file')
  before(() => writeFileSync(file, 'a'))
  after(() => rmSync(directory, { recursive: true }))

  it('accepts directories and missing paths', () => {
    for (const path of [directory, join(directory, 'none'), join(directory, 'none/below'), '.', '/'])
      expect(() => refuseFile(path)).not.to.throw()
  })
  for (const below of ['', '/a', '/a/b'])
    it(`names the file that is ${below === '' ? 'there' : 'above'}: ${below}`, () => {
      const refused = (work: () => void): void => {
        try {
          work()
        } catch (error) {
          expect(errorCode(error)).to.equal('ENOTDIR')
          expect(String(error)).to.equal(`Error: ${file} is a file, not a directory`)
          return
        }
        expect.fail('nothing was thrown')
      }
      refused(() => refuseFile(file + below))
      refused(() => makePrivateDirectory(file + below))
    })
})
