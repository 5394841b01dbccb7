import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import protobuf from 'protobufjs/minimal.js'
import { types } from '../../../../../src/catalog/types.ts'
import { cborBody, encodeCborValue } from '../../../../../src/codec/cbor.ts'
import { encodeProtobuf } from '../../../../../src/codec/protobuf.ts'
import { systemClock } from '../../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../../src/lib/log.ts'
import { openEmbedded } from '../../../../../src/storage/embedded/open-embedded.ts'
import { BoltError, BoltFile } from '../../../../../src/storage/etcd-snapshot/bolt-file.ts'
import { snapshotValues } from '../../../../../src/storage/etcd-snapshot/read-snapshot.ts'
import { checkedSnapshot } from '../../../../../src/storage/etcd-snapshot/snapshot-hash.ts'
import { key, type Revision } from '../../../../../src/storage/revision.ts'
import { reportOn } from '../../../../../src/upgrade/report/report.ts'
import { dataDirectoryValues } from '../../../../../src/upgrade/report/sources/data-directory.ts'
import { valuesBelow } from '../../../../../src/upgrade/report/sources/etcd.ts'
import { examineStore, type StoredValue } from '../../../../../src/upgrade/report/sources/stored.ts'
import { boltFile } from '../../../../support/bolt-builder.ts'

const pod = (name: string, managed: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', managedFields: [{ manager: 'm', operation: 'Update', apiVersion: managed }] },
  spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' }, containers: [{ name: 'c', image: 'i' }] },
})

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))

/** Creates an entry of etcd's bucket: a revision, and the key with its value. */
function revision(main: number, name: string, value?: Buffer): [Buffer, Buffer] {
  const id = Buffer.alloc(17)
  id.writeBigUInt64BE(BigInt(main), 0)
  id.write('_', 8)
  const writer = protobuf.Writer.create().uint32(0x0a).bytes(Buffer.from(name)).uint32(0x18).int64(main)
  if (value) writer.uint32(0x2a).bytes(value)
  return [value ? id : Buffer.concat([id, Buffer.from('t')]), Buffer.from(writer.finish())]
}

describe('stores in the upgrade report', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-stores-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('reads objects in JSON, CBOR and the binary format, and counts encrypted ones', async () => {
    const binary = encodeProtobuf(types.type('core.Pod'), { apiVersion: 'v1', kind: 'Pod' }, pod('binary', 'v1'))
    const values: StoredValue[] = [
      { key: '/registry/pods/shop/text', value: json(pod('text', 'v1')) },
      { key: '/registry/pods/shop/binary', value: binary },
      { key: '/registry/pods/shop/cbor', value: cborBody(encodeCborValue(pod('cbor', 'v1'))) },
      { key: '/registry/pods/shop/cut', value: cborBody(encodeCborValue(pod('cut', 'v1'))).subarray(0, 9) },
      { key: '/registry/secrets/shop/a', value: Buffer.from('k8s:enc:aescbc:v1:key1:xxxx') },
      { key: '/registry/secrets/shop/b', value: Buffer.from('k8s:enc:aescbc:v1:key1:xxxx') },
      { key: '/registry/events/shop/a', value: json(pod('event', 'v1')) },
      { key: '/registry/pods/shop/damaged', value: Buffer.from('{"apiVersion": ') },
      { key: 'compact_rev_key', value: Buffer.from('7') },
    ]
    const { findings, objects } = await reportOn([examineStore('store', values)], { from: '1.30', to: '1.33' })
    expect(objects).to.equal(3)
    expect(findings.map(({ rule, subject, place }) => `${rule} ${subject} ${place.source}`).sort()).to.deep.equal([
      'deprecated-field Pod shop/binary store: /registry/pods/shop/binary',
      'deprecated-field Pod shop/cbor store: /registry/pods/shop/cbor',
      'deprecated-field Pod shop/text store: /registry/pods/shop/text',
      'unreadable /registry/pods/shop/cut store: /registry/pods/shop/cut',
      'unreadable /registry/pods/shop/damaged store: /registry/pods/shop/damaged',
      'unreadable /registry/secrets store: /registry/secrets',
    ])
  })

  it('reads the embedded store of a data directory page by page, unless a server uses it', async () => {
    const backend = await openEmbedded({ dir: join(folder, 'store') }, systemClock, silentLogger)
    const { signal } = new AbortController()
    const names = Array.from({ length: 1200 }, (_, i) => `/registry/pods/shop/p${String(i).padStart(4, '0')}`)
    await Promise.all(names.map(name => backend.write({ key: key(name), expected: 0, value: Buffer.from('{}') }, signal)))
    const read = async (): Promise<string[]> => {
      const keys: string[] = []
      for await (const { key: each } of dataDirectoryValues(folder)) keys.push(each)
      return keys
    }
    const refused = await read().catch((error: Error) => error.message)
    expect(refused).to.match(/is in use by process/)
    await backend.close()
    expect(await read()).to.deep.equal(names)
    expect(await read()).to.have.lengthOf(1200)
  })

  describe('an etcd', () => {
    const items = (...names: string[]) =>
      names.map(name => ({ key: key(name), value: Buffer.from(name), createRevision: 1 as Revision, modRevision: 1 as Revision }))
    /** Returns the pages in turn, and the last one for further reads. */
    async function read(...pages: readonly (readonly string[])[]): Promise<string[]> {
      let asked = 0
      const range = async () => {
        const page = pages[Math.min(asked++, pages.length - 1)] ?? []
        if (asked > 10) throw new Error('it does not end')
        return { items: items(...page), revision: 1 as Revision, more: asked !== 3, count: 0 }
      }
      const found: string[] = []
      for await (const { value } of valuesBelow({ range, currentRevision: async () => 1 as Revision }, '/registry'))
        found.push(value.toString())
      return found
    }

    it('is read page by page', async () => {
      expect(await read(['/registry/a'], ['/registry/b'], ['/registry/c'])).to.deep.equal(['/registry/a', '/registry/b', '/registry/c'])
    })

    it('is not read forever if it promises more without returning it', async () => {
      for (const pages of [[[]], [['/registry/b'], ['/registry/b']], [['/registry/b'], ['/registry/a']]])
        expect(await read(...pages).catch(String)).to.match(/the store makes no progress/)
    })
  })

  describe('snapshots of etcd', () => {
    const write = (bytes: Buffer): string => {
      const path = join(folder, 'snapshot.db')
      writeFileSync(path, bytes)
      return path
    }
    const entries = [
      [revision(2, '/registry/pods/a', Buffer.from('old')), revision(3, '/registry/pods/b', Buffer.from('b'))],
      [
        revision(4, '/other/pods/c', Buffer.from('c')),
        revision(5, '/registry/pods/a', Buffer.from('new')),
        revision(6, '/registry/pods/b'),
        revision(7, '/registry/pods/d', Buffer.from('d')),
      ],
    ]

    it('contain the latest value of each key that was not deleted', () => {
      const found = [...snapshotValues(checkedSnapshot(write(boltFile('key', entries)), { skipHashCheck: true }), '/registry')].map(
        ({ key: name, value }) => [name, value.toString()],
      )
      expect(found).to.deep.equal([
        ['/registry/pods/a', 'new'],
        ['/registry/pods/d', 'd'],
      ])
    })

    it('may lack the bucket of keys', () => {
      expect([...snapshotValues(checkedSnapshot(write(boltFile('meta', entries)), { skipHashCheck: true }), '/registry')]).to.deep.equal([])
    })

    it('are rejected if they are corrupt or something else, whatever they contain', () => {
      expect(() => new BoltFile(write(Buffer.from('SQLite format 3')))).to.throw(BoltError, /is not a snapshot of etcd/)
      const whole = boltFile('key', entries)
      expect(() => [...snapshotValues(checkedSnapshot(write(whole.subarray(0, 4096 * 5)), { skipHashCheck: true }), '/registry')]).to.throw(
        BoltError,
      )
      let faults = 0
      for (let at = 4096 * 2; at < whole.length; at += at % 4096 < 100 ? 3 : 997) {
        const damaged = Buffer.from(whole)
        damaged[at] = 0xff
        try {
          void [...snapshotValues(checkedSnapshot(write(damaged), { skipHashCheck: true }), '/registry')]
        } catch (error) {
          expect(error).to.be.instanceOf(BoltError)
          faults++
        }
      }
      expect(faults).to.be.greaterThan(0)
    })

    it('are rejected for invalid page sizes, and for entries outside of their page', () => {
      const small = boltFile('key', entries)
      // A page size of one byte, in both meta pages, with valid checksums.
      for (const at of [0, 4096]) {
        small.writeUInt32LE(1, at + 24)
        let hash = 0xcbf29ce484222325n
        for (const byte of small.subarray(at + 16, at + 72)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
        small.writeBigUInt64LE(hash, at + 72)
      }
      expect(() => new BoltFile(write(small))).to.throw(BoltError, /is not a snapshot of etcd/)
      const long = boltFile('key', entries)
      long.writeUInt32LE(4096, 4096 * 4 + 16 + 12)
      expect(() => [...snapshotValues(checkedSnapshot(write(long), { skipHashCheck: true }), '/registry')]).to.throw(
        BoltError,
        /an entry is outside/,
      )
    })

    it('are not read more often than valid ones, wherever their entries point', () => {
      const value = Buffer.alloc(2000)
      const leaf = [
        [Buffer.alloc(17), value] as const,
        ...Array.from({ length: 40 }, (_, i) => [Buffer.alloc(17, i), Buffer.alloc(0)] as const),
      ]
      const same = boltFile('key', [leaf, ...Array.from({ length: 199 }, () => leaf)])
      for (let page = 4; page < 204; page++)
        for (let i = 1; i <= 40; i++) {
          // Each entry points to the bytes of the first one.
          const element = 4096 * page + 16 + i * 16
          same.writeUInt32LE(same.readUInt32LE(4096 * page + 16 + 4) - i * 16, element + 4)
          same.writeUInt32LE(2000, element + 12)
        }
      expect(() => [...snapshotValues(checkedSnapshot(write(same), { skipHashCheck: true }), '/registry')]).to.throw(
        BoltError,
        /entries overlap/,
      )
    })

    it('are rejected for cycles', () => {
      const circle = boltFile('key', entries)
      circle.writeBigUInt64LE(3n, 4096 * 3 + 16 + 8)
      expect(() => [...snapshotValues(checkedSnapshot(write(circle), { skipHashCheck: true }), '/registry')]).to.throw(
        BoltError,
        /form a cycle/,
      )
    })
  })
})
