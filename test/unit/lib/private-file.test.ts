import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { keepPrivate, makePrivateDirectory, writePrivate } from '../../../src/lib/private-file.ts'

const modeOf = (file: string): number => statSync(file).mode & 0o777

/** The writers treat existing files differently, but write bytes in the same way. */
const WAYS: Readonly<Record<string, (file: string, text: string) => unknown>> = { writePrivate, keepPrivate }

describe('private files', () => {
  let directory = ''
  let umask = 0
  beforeEach(() => {
    umask = process.umask(0)
    directory = mkdtempSync(join(tmpdir(), 'binnacle-private-'))
  })
  afterEach(() => {
    process.umask(umask)
    rmSync(directory, { recursive: true })
  })

  for (const [name, write] of Object.entries(WAYS)) {
    it(`${name}: are readable by their owner only, whatever the umask, and leave no other file`, async () => {
      const file = join(directory, 'a.key')
      await write(file, 'secret')
      expect(readFileSync(file, 'utf8')).to.equal('secret')
      expect(modeOf(file)).to.equal(0o600)
      expect(readdirSync(directory)).to.deep.equal(['a.key'])
    })

    it(`${name}: do not follow links with the name of a draft, nor write into existing drafts`, async () => {
      const file = join(directory, 'a.key')
      const theirs = join(directory, 'theirs')
      for (const suffix of ['.tmp', '.new', `.${process.pid}.new`, `.${process.pid}.tmp`]) symlinkSync(theirs, file + suffix)
      await write(file, 'secret')
      expect(readdirSync(directory), 'written through a link').not.to.include('theirs')
      const other = join(directory, 'b.key')
      writeFileSync(`${other}.tmp`, '', { mode: 0o666 })
      await write(other, 'secret')
      expect(modeOf(other)).to.equal(0o600)
    })
  }

  it('replace a link instead of its target, and a file that others could read', async () => {
    const file = join(directory, 'a.key')
    const theirs = join(directory, 'theirs')
    writeFileSync(theirs, 'before', { mode: 0o666 })
    symlinkSync(theirs, file)
    await writePrivate(file, 'secret')
    expect([readFileSync(theirs, 'utf8'), readFileSync(file, 'utf8'), modeOf(file)]).to.deep.equal(['before', 'secret', 0o600])
    await writePrivate(theirs, 'secret')
    expect(modeOf(theirs)).to.equal(0o600)
  })

  it('are kept if they exist and must not be replaced', async () => {
    const file = join(directory, 'a.key')
    expect(await keepPrivate(file, 'first')).to.equal('first')
    expect(await keepPrivate(file, 'second')).to.equal('first')
    expect(readFileSync(file, 'utf8')).to.equal('first')
    expect(readdirSync(directory)).to.deep.equal(['a.key'])
  })

  it('leave no draft if they cannot be moved to their name', async () => {
    const file = join(directory, 'taken')
    mkdirSync(join(file, 'full'), { recursive: true })
    await writePrivate(file, 'secret').then(
      () => expect.fail('placed'),
      (error: NodeJS.ErrnoException) => expect(error.code).to.be.oneOf(['EISDIR', 'ENOTEMPTY', 'EEXIST']),
    )
    expect(await fs.readdir(directory)).to.deep.equal(['taken'])
  })

  it('are created in directories of mode 0700, which they create if necessary', async () => {
    const made = join(directory, 'data', 'pki')
    makePrivateDirectory(made)
    expect([modeOf(made), modeOf(join(directory, 'data'))]).to.deep.equal([0o700, 0o700])
  })

  it('create no directory below a file', () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    expect(() => makePrivateDirectory(join(file, 'a', 'b'))).to.throw(`${file} is a file, not a directory`)
  })
})
