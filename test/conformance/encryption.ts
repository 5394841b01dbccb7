import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { Backend } from '../../src/storage/backend.ts'
import { type CorruptReports, namedReports } from '../../src/storage/corrupt.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'
import { key } from '../../src/storage/revision.ts'
import { type ListQuery, type Storage, StorageError, type WatchQuery } from '../../src/storage/storage.ts'
import type { Encryption } from '../../src/storage/value/encryption.ts'
import { loose } from '../support/any-object.ts'
import { batchesOf } from '../support/batches.ts'
import { encryptionConfig, encryptionOf, identityProvider, providerOf } from '../support/encryption-config.ts'
import { decided, everything, labelled, plus, put, take, testCodec, testKey, testObject, testPrefix, told } from '../support/test-codec.ts'

export interface EncryptionHarness {
  /** Empty below `/registry/`. */
  readonly backend: Backend
  /** A storage that knows nothing of what has been, over the same store. */
  open(encryption: Encryption, reports?: CorruptReports): Promise<Storage>
  close(): Promise<void>
}

/** Contract of every Storage with encrypted values. `skip` is the reason why it cannot run here. */
export function encryptionConformance(name: string, open: () => Promise<EncryptionHarness>, skip?: string): void {
  const suite = skip === undefined ? describe : describe.skip
  suite(`Storage, encrypted: ${name}${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
    let harness: EncryptionHarness
    const { signal } = new AbortController()
    setMaxListeners(0, signal)
    beforeEach(async () => {
      harness = await open()
    })
    afterEach(() => harness.close())

    const keyOne = providerOf('aesgcm', 'one')
    const rotated = providerOf('aesgcm', 'two', 'one')
    const keyTwo = providerOf('aesgcm', 'two')
    const create = (storage: Storage, object = testObject('a', { n: '1' })) =>
      storage.write(testKey(object.metadata.name!, object.metadata.namespace), put(object), signal, 'absent')
    const same = (storage: Storage, of = 'a') =>
      storage.write(testKey(of), async now => decided({ put: structuredClone(now!.object()) }), signal)
    const held = async (of: string): Promise<Buffer> => (await harness.backend.get(testKey(of), signal)).item?.value ?? Buffer.alloc(0)
    const prefix = async (of: string): Promise<string> => /^k8s:enc:\w+:v1:\w+:|^\{/.exec((await held(of)).toString('latin1'))?.[0] ?? ''
    const list = (storage: Storage, query: Partial<ListQuery> = {}, below = testPrefix) =>
      storage.list(below, { at: 'latest', predicate: everything, limit: 0, ...query }, signal)
    const shown = async (storage: Storage, query: Partial<ListQuery> = {}, below = testPrefix) =>
      (await list(storage, query, below)).items.map(item => `${item.attributes().name}=${loose(item.object()).data.n ?? ''}`)
    const watch = async (storage: Storage, start: WatchQuery['start'], predicate = everything) =>
      batchesOf(await storage.watch(testPrefix, { start, predicate, bookmarks: false }, signal))
    const failure = async (what: Promise<unknown>): Promise<StorageError> => {
      const error = await what.then(
        () => undefined,
        thrown => thrown,
      )
      expect(error).to.be.instanceOf(StorageError)
      return error as StorageError
    }
    const foreign = async (at: Key, value: Buffer): Promise<Revision> => {
      const { item } = await harness.backend.get(at, signal)
      return (await harness.backend.write({ key: at, expected: item?.modRevision ?? 0, value }, signal)).revision
    }

    for (const kind of ['aesgcm', 'aescbc', 'secretbox'] as const)
      it(`stores no plain text, and every read decrypts: ${kind}`, async () => {
        const storage = await harness.open(encryptionOf(providerOf(kind, 'one')))
        const before = await storage.currentRevision(signal)
        const events = await watch(storage, { after: before })
        const { object } = await create(storage, testObject('a', { n: 'clear' }))
        expect(await prefix('a')).to.equal(`k8s:enc:${kind}:v1:one:`)
        expect((await held('a')).includes('clear')).to.equal(false)
        const json = object.json().bytes.toString()
        expect((await storage.get(testKey('a'), 'latest', signal))?.json().bytes.toString()).to.equal(json)
        expect((await storage.get(testKey('a'), { exactly: object.revision }, signal))?.json().bytes.toString()).to.equal(json)
        expect((await list(storage)).items.map(item => item.json().bytes.toString())).to.deep.equal([json])
        expect(told(await take(events, 1))).to.deep.equal([`added a@${object.revision}`])
        expect(told(await take(await watch(storage, { initial: 'latest', bookmarkAtEnd: false }), 1))).to.deep.equal([
          `added a@${object.revision}`,
        ])
        await storage.write(testKey('a'), async () => decided({ delete: true }), signal)
        const [gone] = await take(events, 1)
        expect(gone?.type === 'deleted' && gone.object.object().data).to.deep.equal({ n: 'clear' })
      })

    it('writes nothing for the same content under the same key, though encryption is not deterministic', async () => {
      const storage = await harness.open(encryptionOf(keyOne))
      const { object } = await create(storage)
      expect([(await same(storage)).outcome, await storage.currentRevision(signal)]).to.deep.equal(['unchanged', object.revision])
    })

    it('fails to read a value that was copied to another key of the store', async () => {
      const storage = await harness.open(encryptionOf(keyOne))
      await create(storage)
      const at = await foreign(testKey('b'), await held('a'))
      const error = await failure(storage.get(testKey('b'), { notOlderThan: at }, signal))
      expect([error.code, error.message]).to.deep.equal(['corrupt', 'cipher: message authentication failed'])
    })

    const older: [what: string, by: Encryption][] = [
      ['an old key', encryptionOf(keyOne)],
      ['another provider', encryptionOf(providerOf('aescbc', 'one'))],
      ['none', encryptionOf(identityProvider)],
    ]
    for (const [what, by] of older) {
      const now = () => encryptionOf(rotated, providerOf('aescbc', 'one'), identityProvider)

      it(`reads objects that were written with ${what}`, async () => {
        const { object } = await create(await harness.open(by))
        const storage = await harness.open(now())
        for (const at of ['latest', 'any', { notOlderThan: object.revision }, { exactly: object.revision }] as const) {
          expect((await storage.get(testKey('a'), at, signal))?.json().bytes.toString()).to.equal(object.json().bytes.toString())
          expect(await shown(storage, { at })).to.deep.equal(['a=1'])
        }
        expect(told(await take(await watch(storage, { initial: 'latest', bookmarkAtEnd: false }), 1))).to.deep.equal([
          `added a@${object.revision}`,
        ])
        expect(told(await take(await watch(storage, { after: plus(object.revision, -1) }), 1))).to.deep.equal([
          `added a@${object.revision}`,
        ])
      })

      it(`rewrites unchanged content once if it was written with ${what}`, async () => {
        const { object } = await create(await harness.open(by))
        const storage = await harness.open(now())
        const events = await watch(storage, { after: object.revision })
        const written = await same(storage)
        expect([written.outcome, written.object.revision]).to.deep.equal(['updated', object.revision + 1])
        expect(await prefix('a')).to.equal('k8s:enc:aesgcm:v1:two:')
        expect(told(await take(events, 1))).to.deep.equal([`modified a@${object.revision + 1}`])
        expect((await same(storage)).outcome).to.equal('unchanged')
      })
    }

    it('rewrites unchanged content after the keys change, even if it was read before', async () => {
      const encryption = encryptionOf(keyOne)
      const storage = await harness.open(encryption)
      const { object } = await create(storage)
      expect((await same(storage)).outcome).to.equal('unchanged')
      const assumed = await storage.get(testKey('a'), 'latest', signal)
      encryption.configure(encryptionConfig(rotated))
      const written = await storage.write(testKey('a'), async now => decided({ put: structuredClone(now!.object()) }), signal, assumed)
      expect([written.outcome, written.object.revision, await prefix('a')]).to.deep.equal([
        'updated',
        object.revision + 1,
        'k8s:enc:aesgcm:v1:two:',
      ])
      expect((await same(storage)).outcome).to.equal('unchanged')
    })

    it('does not re-encrypt an object that a write keeps', async () => {
      await create(await harness.open(encryptionOf(keyOne)))
      const storage = await harness.open(encryptionOf(rotated))
      expect((await storage.write(testKey('a'), async () => decided({ keep: true }), signal)).outcome).to.equal('unchanged')
      expect(await prefix('a')).to.equal('k8s:enc:aesgcm:v1:one:')
    })

    it('writes plain text if the identity provider comes first', async () => {
      await create(await harness.open(encryptionOf(keyOne)))
      const storage = await harness.open(encryptionOf(identityProvider, keyOne))
      expect((await same(storage)).outcome).to.equal('updated')
      expect(await prefix('a')).to.equal('{')
    })

    it('reads all pages of a list at the revision of the first', async () => {
      const storage = await harness.open(encryptionOf(keyOne))
      for (const name of ['a', 'b', 'c']) await create(storage, testObject(name, { n: name }))
      const first = await list(storage, { limit: 2 })
      await storage.write(testKey('c'), put(testObject('c', { n: 'later' })), signal)
      expect(
        await shown(storage, { at: { exactly: first.revision }, limit: 2, ...(first.nextKey && { startKey: first.nextKey }) }),
      ).to.deep.equal(['c=c'])
      expect(await shown(storage)).to.deep.equal(['a=a', 'b=b', 'c=later'])
    })

    describe('with objects that cannot be decrypted', () => {
      /** a and x/d under a key that is lost; b and y/e under one that is there. */
      const lost = async (reports?: CorruptReports): Promise<{ storage: Storage; encryption: Encryption; at: Revision }> => {
        const before = await harness.open(encryptionOf(keyOne))
        await create(before)
        await create(before, testObject('d', {}, undefined, 'x'))
        const encryption = encryptionOf(keyTwo)
        const storage = await harness.open(encryption, reports)
        await create(storage, testObject('b', { n: '2' }))
        const { object } = await create(storage, testObject('e', { n: '5' }, undefined, 'y'))
        return { storage, encryption, at: object.revision }
      }
      const NO_KEY = 'no matching key was found for the provided AES transformer'
      const named = (at: string) =>
        `StorageError: corrupt object, Code: 7, Key: ${at}, ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not transformable revision=0: ${NO_KEY}`

      it('fails gets, lists and watches that include one, and no others', async () => {
        const { storage, at } = await lost()
        expect(await failure(storage.get(testKey('a'), 'latest', signal))).to.include({ code: 'corrupt', message: NO_KEY })
        expect(await failure(list(storage))).to.include({
          code: 'corrupt',
          message: `unable to transform key "${testKey('a')}": ${NO_KEY}`,
        })
        expect(await failure(list(storage, { at: 'any', limit: 1 }))).to.have.property('code', 'corrupt')
        expect(await failure(watch(storage, { initial: 'latest', bookmarkAtEnd: false }))).to.include({ code: 'corrupt', message: NO_KEY })
        expect(loose((await storage.get(testKey('b'), 'latest', signal))?.object()).data.n).to.equal('2')
        expect(await shown(storage, {}, key(`${testPrefix}y/`))).to.deep.equal(['e=5'])
        const byName = { name: 'b', namespace: 'default', everything: false, matches: ({ name }: { name: string }) => name === 'b' }
        if (name.startsWith('watch cache')) expect(await shown(storage, { predicate: byName })).to.deep.equal(['b=2'])
        const events = await watch(storage, { after: at })
        await storage.write(testKey('b'), put(testObject('b', { n: '3' })), signal)
        expect(told(await take(events, 1))).to.deep.equal([`modified b@${at + 1}`])
      })

      it('fails updates and deletions of one', async () => {
        const { storage } = await lost()
        for (const change of [put(testObject('a')), async () => decided({ delete: true })])
          expect(await failure(storage.write(testKey('a'), change, signal))).to.include({ code: 'corrupt', message: NO_KEY })
      })

      it('ends a watch with an error at an event that cannot be decrypted, and again after a resume', async () => {
        const { storage, at } = await lost()
        const events = await watch(storage, { after: at })
        const other = await harness.open(encryptionOf(keyOne))
        const broken = (await other.write(testKey('c'), put(testObject('c')), signal)).object.revision
        expect(await failure(take(events, 1))).to.include({ code: 'corrupt', message: NO_KEY })
        await storage.get(testKey('b'), { notOlderThan: broken }, signal)
        expect(await failure((async () => take(await watch(storage, { after: at }), 1))())).to.have.property('code', 'corrupt')
        const onwards = await watch(storage, { after: broken })
        await storage.write(testKey('b'), put(testObject('b', { n: '3' })), signal)
        expect(told(await take(onwards, 1))).to.deep.equal([`modified b@${broken + 1}`])
      })

      it('reads them as soon as their key is configured', async () => {
        const { storage, encryption } = await lost()
        expect(await failure(list(storage))).to.have.property('code', 'corrupt')
        encryption.configure(encryptionConfig(rotated))
        expect(await shown(storage)).to.deep.equal(['a=1', 'b=2', 'd=', 'e=5'])
        expect(loose((await storage.get(testKey('a'), 'latest', signal))?.object()).data.n).to.equal('1')
        expect((await same(storage)).outcome).to.equal('updated')
        expect(told(await take(await watch(storage, { initial: 'latest', bookmarkAtEnd: false }), 4))).to.have.length(4)
      })

      it('names all of them in errors of lists, and one in errors of reads, if unsafe deletion is on', async () => {
        const { storage } = await lost(namedReports('/registry'))
        await foreign(testKey('c'), testCodec.encode(testObject('c')))
        const { code, causes } = await failure(list(storage))
        expect(code).to.equal('corrupt')
        const fields = [testKey('a'), testKey('c'), testKey('d', 'x')]
        expect(causes?.map(({ field }) => field)).to.deep.equal(fields)
        expect(causes?.[0]).to.deep.equal({ reason: 'UnexpectedServerResponse', field: testKey('a'), message: named(testKey('a')) })
        expect(causes?.[1]?.message).to.contain('revision=0: no matching prefix found')
        expect((await failure(storage.get(testKey('a'), 'latest', signal))).message).to.equal(named('/configmaps/default/a'))
        expect((await failure(same(storage))).message).to.equal(`data from the storage is not transformable revision=0: ${NO_KEY}`)
        expect((await failure(list(storage, { predicate: labelled('x', 'y') }))).causes).to.have.length(3)
        expect((await failure(list(storage, {}, key(`${testPrefix}x/`)))).causes).to.have.length(1)
      })

      it('has the first of them in the message of a list since 1.37', async () => {
        const { storage } = await lost(namedReports('/registry', true))
        expect((await failure(list(storage))).message).to.equal(`${named(testKey('a'))} (and 1 more)`)
        expect((await failure(list(storage, {}, key(`${testPrefix}x/`)))).message).to.equal(named(testKey('d', 'x')))
      })

      it('names at most a hundred, and reports that the list is truncated', async () => {
        const storage = await harness.open(encryptionOf(keyTwo), namedReports('/registry'))
        const names = Array.from({ length: 101 }, (_, i) => `n${String(i).padStart(3, '0')}`)
        for (const each of names.slice(1)) await foreign(testKey(each), Buffer.from('{}'))
        expect((await failure(list(storage))).causes?.map(({ field }) => field)).to.deep.equal(names.slice(1).map(each => testKey(each)))
        await foreign(testKey(names[0]!), Buffer.from('{}'))
        const { causes } = await failure(list(storage))
        expect(causes).to.have.length(101)
        expect(causes?.at(-1)).to.deep.equal({ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' })
      })

      it('removes corrupt objects, and no readable ones', async () => {
        const { storage } = await lost()
        expect(await storage.removeCorrupt(testKey('b'), signal)).to.equal('readable')
        expect(await storage.removeCorrupt(testKey('none'), signal)).to.equal('absent')
        expect(await storage.removeCorrupt(testKey('a'), signal, true)).to.equal('removed')
        expect(await failure(list(storage))).to.have.property('key', testKey('a'))
        expect(await storage.removeCorrupt(testKey('a'), signal)).to.equal('removed')
        expect(await storage.get(testKey('a'), 'latest', signal)).to.equal(undefined)
        expect(await failure(list(storage))).to.have.property('key', testKey('d', 'x'))
        expect(await storage.removeCorrupt(testKey('d', 'x'), signal)).to.equal('removed')
        expect(await shown(storage)).to.deep.equal(['b=2', 'e=5'])
        await create(storage)
        expect(await shown(storage)).to.deep.equal(['a=1', 'b=2', 'e=5'])
      })

      it('ends watches with an error when one is removed', async () => {
        const { storage, at } = await lost(namedReports('/registry'))
        const events = await watch(storage, { after: at })
        await storage.removeCorrupt(testKey('a'), signal)
        const error = await failure(take(events, 1))
        expect([error.code, error.causes]).to.deep.equal(['corrupt', []])
        expect(error.message).to.equal(
          `saw a DELETED event, but object data is corrupt - data from the storage is not transformable revision=0: ${NO_KEY}`,
        )
        await storage.get(testKey('b'), 'latest', signal)
        expect(await failure((async () => take(await watch(storage, { after: at }), 1))())).to.have.property('message', error.message)
      })

      it('does not remove an object that became readable', async () => {
        const { storage } = await lost()
        const readable = await (await harness.open(encryptionOf(rotated))).write(testKey('a'), put(testObject('a', { n: '9' })), signal)
        expect(await storage.removeCorrupt(testKey('a'), signal)).to.equal('readable')
        expect(loose((await storage.get(testKey('a'), { notOlderThan: readable.object.revision }, signal))?.object()).data.n).to.equal('9')
      })
    })
  })
}
