import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import protobuf from 'protobufjs/minimal.js'
import { runImport } from '../../../src/commands/import.ts'
import { BackendError } from '../../../src/storage/backend.ts'
import { BoltError } from '../../../src/storage/etcd-snapshot/bolt-file.ts'
import { boltFile } from '../../support/bolt-builder.ts'

/** A key of etcd's bucket. */
function revisionKey(main: bigint): Buffer {
  const bytes = Buffer.alloc(17)
  bytes.writeBigUInt64BE(main, 0)
  bytes.write('_', 8)
  return bytes
}

/** mvccpb.KeyValue. */
const keyValue = (key: string, created: number, changed: number): Buffer =>
  Buffer.from(
    protobuf.Writer.create().uint32(10).string(key).uint32(16).int64(created).uint32(24).int64(changed).uint32(42).string('{}').finish(),
  )

describe('imports of damaged snapshots', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-import-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function imported(key: Buffer, value: Buffer): Promise<unknown> {
    const snapshot = join(folder, 'snapshot.db')
    writeFileSync(snapshot, boltFile('key', [[[key, value]]]))
    const said: string[] = []
    const say = (text: string): void => void said.push(text)
    return runImport(['--snapshot', snapshot, '--skip-hash-check', '--data-dir', join(folder, 'data')], { out: say, err: say }).then(
      () => said.join(''),
      (error: unknown) => error,
    )
  }

  it('fail for an invalid revision', async () => {
    for (const [created, changed] of [
      [0, 0],
      [-1, 5],
      [-1, -1],
      [6, 5],
      [2 ** 62, 5],
    ] as const) {
      const error = await imported(revisionKey(5n), keyValue('/registry/pods/a/b', created, changed))
      expect(error, `${created} ${changed}`)
        .to.be.instanceOf(BackendError)
        .with.property('message', `/registry/pods/a/b: revision ${changed} was not written by an API server`)
    }
    for (const key of [Buffer.from('short'), revisionKey(2n ** 64n - 1n)])
      expect(await imported(key, keyValue('/registry/pods/a/b', 5, 5))).to.be.instanceOf(BoltError)
  })

  it('fail for a key that is too long, and can be repeated', async () => {
    expect(await imported(revisionKey(5n), keyValue(`/registry/${'x'.repeat(2500)}`, 5, 5))).to.be.instanceOf(BackendError)
    expect(await imported(revisionKey(5n), keyValue('/registry/pods/a/b', 2, 5))).to.equal('1 object imported, as of resource version 5\n')
  })
})
