import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { manifestDocuments, readManifestFiles } from '../../../../src/admission/manifests/manifest-files.ts'
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
    const { documents } = await read({ 'a.yaml': '---\r\none: "---"\r\n ---\r\n---\r\ntwo\r\n---', 'b.yaml': '--', 'c.yaml': '\n---\n---\n' })
    expect(documents).to.deep.equal(['a.yaml: one: "---"\r\n ---', 'a.yaml: two', 'b.yaml: --'])
  })

  it('must be regular files, also behind links', async () => {
    execFileSync('mkfifo', [join(directory, 'pipe')])
    symlinkSync('pipe', join(directory, 'a.yaml'))
    expect(await read({}).catch((failure: Error) => failure.message)).to.equal(`failed to read file "${directory}/a.yaml": not a regular file`)
    rmSync(join(directory, 'a.yaml'))
    symlinkSync('a.yaml', join(directory, 'a.yaml'))
    expect(await read({}).catch((failure: Error) => failure.message)).to.match(/^failed to read file ".*a\.yaml": ELOOP/)
  })

  it('must be in a directory that can be read', async () => {
    const error = await readManifestFiles('/nowhere').catch((failure: Error) => failure.message)
    expect(error).to.match(/^failed to read manifest directory "\/nowhere": /)
  })
})
