import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { runImport } from '../../../../src/commands/import.ts'
import { runOpen } from '../../../../src/commands/open.ts'
import { BoltError } from '../../../../src/storage/etcd-snapshot/bolt-file.ts'
import { checkedSnapshot } from '../../../../src/storage/etcd-snapshot/snapshot-hash.ts'
import { runReport } from '../../../../src/upgrade/report-command.ts'

const HASH = 32
const fixture = fileURLToPath(new URL('../../../fixtures/etcd-snapshots/etcd-3.5.db.br', import.meta.url))

describe('the hash of a snapshot of etcd', () => {
  const whole = brotliDecompressSync(readFileSync(fixture))
  const body = whole.subarray(0, -HASH)
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-hash-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function write(bytes: Buffer): string {
    const path = join(folder, 'snapshot.db')
    writeFileSync(path, bytes)
    return path
  }
  const changed = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(whole)
    change(bytes)
    return bytes
  }
  const flipped = (...places: number[]): Buffer =>
    changed(bytes => {
      for (const at of places) bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    })
  /** The name of an object inside of its value, with one of the same length. */
  const renamed = changed(bytes => void bytes.write('SETTINGS', bytes.lastIndexOf('settings')))
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

  it('is accepted if it matches', () => {
    const path = write(whole)
    expect(checkedSnapshot(path, { skipHashCheck: false })).to.equal(path)
  })

  const mismatch = (bytes: Buffer): string =>
    `expected sha256 ${bytes.subarray(-HASH).toString('hex')}, got ${sha256(bytes.subarray(0, -HASH))}`
  const missing = 'snapshot missing hash but --skip-hash-check=false'
  const faults: Record<string, [bytes: Buffer, message: string]> = {
    'a bit of a page is flipped': [flipped(70_000), ''],
    'the last byte before it is another': [flipped(body.length - 1), ''],
    'an object is renamed inside its value': [renamed, ''],
    'the hash itself is another': [flipped(whole.length - 1), ''],
    'the hash is of zeros': [Buffer.concat([body, Buffer.alloc(HASH)]), ''],
    'the hash is missing': [body, missing],
    'the hash is cut': [whole.subarray(0, -1), missing],
    'bytes follow it': [Buffer.concat([whole, Buffer.alloc(1)]), missing],
    'a page is missing before it': [Buffer.concat([body.subarray(0, -4096), whole.subarray(-HASH)]), ''],
  }
  for (const [name, [bytes, given]] of Object.entries(faults)) {
    const message = given === '' ? mismatch(bytes) : given
    it(`is refused if ${name}`, () => {
      expect(() => checkedSnapshot(write(bytes), { skipHashCheck: false })).to.throw(BoltError, message)
      expect(() => checkedSnapshot(write(bytes), { skipHashCheck: true })).not.to.throw()
    })
  }

  const say = { out: (): void => {}, err: (): void => {} }
  for (const [name, command] of [
    ['import', (path: string, ...more: string[]) => runImport(['--snapshot', path, '--data-dir', join(folder, 'data'), ...more], say)],
    ['open', (path: string, ...more: string[]) => runOpen([path, ...more], say)],
    [
      'upgrade-report',
      (path: string, ...more: string[]) => runReport(['--from', '1.29', '--to', '1.33', '--snapshot', path, ...more], say),
    ],
  ] as const) {
    for (const [fault, bytes, message] of [
      ['another hash', renamed, mismatch(renamed)],
      ['no hash', body, missing],
    ] as const)
      it(`is checked by binnacle ${name}: ${fault}`, async () => {
        const error = await command(write(bytes)).catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(BoltError).with.property('message').that.contains(message)
      })
    if (name !== 'open')
      it(`is not checked by binnacle ${name} with --skip-hash-check`, async () => {
        expect(await command(write(body), '--skip-hash-check')).to.be.a('number')
      })
  }

  it('is required only of snapshots', async () => {
    const error = await runImport(['-f', folder, '--skip-hash-check', '--data-dir', join(folder, 'data')], say).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.have.property('message', '--skip-hash-check requires --snapshot')
  })

  it('is checked by binnacle open of a file whose meta pages are damaged', async () => {
    const path = write(flipped(16 + 30, 4096 + 16 + 30))
    const error = await runOpen([path], say).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(BoltError).with.property('message').that.contains('is not a snapshot of etcd')
  })
})
