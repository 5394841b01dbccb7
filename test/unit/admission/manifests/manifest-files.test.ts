import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ManifestDirectory, manifestDocuments, readManifestFiles } from '../../../../src/admission/manifests/manifest-files.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'

describe('files of manifests', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const read = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const { files: found, hash } = await readManifestFiles(directory)
    const documents = runAtOnce(manifestDocuments(found))
    return { documents: documents.map(({ file, bytes }) => `${file.slice(directory.length + 1)}: ${bytes}`), hash }
  }

  it('are read in the order of their names, and split at lines of dashes', async () => {
    mkdirSync(join(directory, 'folder.yaml'))
    const { documents } = await read({
      'b.yml': 'one\n---\ntwo\n--- # comment\n\n---\n  \n',
      'a.JSON': '{}',
      'B.yaml': 'upper',
      'c.txt': 'ignored',
      'd.yaml': '',
    })
    expect(documents).to.deep.equal(['B.yaml: upper', 'a.JSON: {}', 'b.yml: one', 'b.yml: two'])
  })

  it('have a hash of their content, in which every file ends with a zero byte', async () => {
    expect((await read({ 'c.txt': 'x', 'd.yaml': '' })).hash).to.equal('')
    const { hash } = await read({ 'a.yaml': 'a', 'b.yaml': 'b' })
    expect(hash).to.equal(`sha256:${createHash('sha256').update('a\0b\0').digest('hex')}`)
  })

  it('may have no other text behind a separator', async () => {
    const error = await read({ 'a.yaml': '--- a\n' }).catch((failure: Error) => failure.message)
    expect(error).to.equal(`failed to split YAML documents in file "${directory}/a.yaml": invalid Yaml document separator: a`)
  })

  it('may begin with a separator, have lines that end with CR LF, and dashes within lines', async () => {
    const { documents } = await read({
      'a.yaml': '---\r\none: "---"\r\n ---\r\n---\r\ntwo\r\n---',
      'b.yaml': '--',
      'c.yaml': '\n---\n---\n',
    })
    expect(documents).to.deep.equal(['a.yaml: one: "---"\r\n ---', 'a.yaml: two', 'b.yaml: --'])
  })

  it('must be regular files, also behind links', async () => {
    execFileSync('mkfifo', [join(directory, 'pipe')])
    symlinkSync('pipe', join(directory, 'a.yaml'))
    expect(await read({}).catch((failure: Error) => failure.message)).to.equal(
      `failed to read file "${directory}/a.yaml": not a regular file`,
    )
    rmSync(join(directory, 'a.yaml'))
    symlinkSync('a.yaml', join(directory, 'a.yaml'))
    expect(await read({}).catch((failure: Error) => failure.message)).to.match(/^failed to read file ".*a\.yaml": ELOOP/)
  })

  it('must be in a directory that can be read', async () => {
    const error = await readManifestFiles('/nowhere').catch((failure: Error) => failure.message)
    expect(error).to.match(/^failed to read manifest directory "\/nowhere": /)
  })
})

describe('a directory of manifests that is read repeatedly', () => {
  /** Times of every age are trusted. */
  const ANY_AGE = -3_600_000
  const OLD = new Date('2026-01-01T00:00:00Z')
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'manifests-'))
    write('a.yaml', 'one')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  /** Writes a file with a fixed modification time. */
  const write = (name: string, text: string): void => {
    writeFileSync(join(directory, name), text)
    utimesSync(join(directory, name), OLD, OLD)
  }
  const texts = async (source: ManifestDirectory): Promise<string> =>
    (await source.read()).files.map(({ bytes }) => bytes.toString()).join()

  it('is not read again while nothing changes', async () => {
    const source = new ManifestDirectory(directory, ANY_AGE)
    const first = await source.read()
    expect(await source.read()).to.equal(first)
    expect((await new ManifestDirectory(directory, ANY_AGE).read()).hash).to.equal(first.hash)
  })

  it('is read again while the change of a file is recent', async () => {
    const source = new ManifestDirectory(directory)
    const first = await source.read()
    expect(await source.read()).not.to.equal(first)
  })

  it('is read again if a file has other content of the same length and modification time', async () => {
    const source = new ManifestDirectory(directory, ANY_AGE)
    expect(await texts(source)).to.equal('one')
    const before = statSync(join(directory, 'a.yaml'), { bigint: true }).ctimeNs
    // The clock of the file system may be coarse.
    do write('a.yaml', 'two')
    while (statSync(join(directory, 'a.yaml'), { bigint: true }).ctimeNs === before)
    expect(await texts(source)).to.equal('two')
  })

  it('is read again if files are added, renamed or removed', async () => {
    const source = new ManifestDirectory(directory, ANY_AGE)
    expect(await texts(source)).to.equal('one')
    write('b.yaml', 'two')
    expect(await texts(source)).to.equal('one,two')
    renameSync(join(directory, 'b.yaml'), join(directory, '0.yaml'))
    expect(await texts(source)).to.equal('two,one')
    rmSync(join(directory, 'a.yaml'))
    expect(await texts(source)).to.equal('two')
  })

  it('is read again if the link of a ConfigMap volume is replaced', async () => {
    rmSync(join(directory, 'a.yaml'))
    for (const [version, text] of [
      ['..1', 'one'],
      ['..2', 'two'],
    ] as const) {
      mkdirSync(join(directory, version))
      write(`${version}/a.yaml`, text)
    }
    symlinkSync('..1', join(directory, '..data'))
    symlinkSync('..data/a.yaml', join(directory, 'a.yaml'))
    const source = new ManifestDirectory(directory, ANY_AGE)
    expect(await texts(source)).to.equal('one')
    symlinkSync('..2', join(directory, '..data_tmp'))
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'))
    expect(await texts(source)).to.equal('two')
  })

  it('reports a file that cannot be read each time', async () => {
    const source = new ManifestDirectory(directory, ANY_AGE)
    await source.read()
    symlinkSync('/nowhere', join(directory, 'b.yaml'))
    for (let i = 0; i < 2; i++)
      expect(await source.read().then(String, String)).to.include(`failed to read file "${join(directory, 'b.yaml')}"`)
    rmSync(join(directory, 'b.yaml'))
    expect(await texts(source)).to.equal('one')
  })
})
