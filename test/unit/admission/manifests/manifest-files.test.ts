import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readManifestFiles } from '../../../../src/admission/manifests/manifest-files.ts'

describe('files of manifests', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'manifests-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const read = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const { documents, hash } = await readManifestFiles(directory)
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

  it('must be in a directory that can be read', async () => {
    const error = await readManifestFiles('/nowhere').catch((failure: Error) => failure.message)
    expect(error).to.match(/^failed to read manifest directory "\/nowhere": /)
  })
})
