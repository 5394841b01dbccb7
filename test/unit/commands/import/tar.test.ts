import { expect } from 'chai'
import { ArchiveError, tarFiles } from '../../../../src/commands/import/tar.ts'
import { type TarFile, tarFile } from '../../../support/tar-builder.ts'

/** In pieces that fit no block. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700)
}

async function read(bytes: Buffer, largest = 10_000): Promise<string[]> {
  const found: string[] = []
  for await (const { name, bytes: content, isLink } of tarFiles(inPieces(bytes), largest))
    found.push(`${name}${isLink ? ' link' : ` ${content?.toString()}`}`)
  return found
}

const text = (name: string, content: string, more: Partial<TarFile> = {}): TarFile => ({ name, bytes: Buffer.from(content), ...more })

describe('tar archives', () => {
  const long = `${'folder/'.repeat(30)}long.json`

  it('are read file by file', async () => {
    const record = `path=${long}\n`
    const files: TarFile[] = [
      text('a.json', 'A'),
      { name: 'folder/', type: '5' },
      text('empty', ''),
      text('block', 'x'.repeat(512)),
      text('@PaxHeader', `${record.length + 4} ${record}`, { type: 'x' }),
      text('short', 'B'),
      text('@LongLink', `${long}\0`, { type: 'L' }),
      text('short', 'C'),
      text('../../etc/passwd', 'D'),
      { name: 'link', type: '2' },
      text('large', 'y'.repeat(20_000)),
      text('last', 'E'),
    ]
    expect(await read(tarFile(files))).to.deep.equal([
      'a.json A',
      'empty ',
      `block ${'x'.repeat(512)}`,
      `${long} B`,
      `${long} C`,
      '../../etc/passwd D',
      'link link',
      'large undefined',
      'last E',
    ])
  })

  it('may lack the blocks that mark the end', async () => {
    expect(await read(tarFile([text('a', 'A')]).subarray(0, 1024))).to.deep.equal(['a A'])
  })

  const damaged: Record<string, [Buffer, string]> = {
    'cut short in a header': [tarFile([text('a', 'A')]).subarray(0, 300), 'it is cut short'],
    'cut short in a file': [tarFile([text('a', 'A'.repeat(600))]).subarray(0, 800), 'it is cut short'],
    'a file of which nothing is there': [tarFile([{ name: 'a', size: 5 }]).subarray(0, 512), 'it is cut short'],
    'no archive': [Buffer.from('x'.repeat(2000)), 'not a tar archive, or a corrupt one'],
    'a name without end': [tarFile([{ name: '@LongLink', type: 'L', size: 2 ** 32 }]), 'the archive has a name that is too long'],
  }
  for (const [name, [bytes, message]] of Object.entries(damaged))
    it(`are rejected: ${name}`, async () => {
      const error = await read(bytes).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ArchiveError).with.property('message', message)
    })
})
