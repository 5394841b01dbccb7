import { expect } from 'chai'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import { key } from '../../../../src/storage/revision.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher } from '../../../support/test-cacher.ts'
import { decided, put, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { eventually } from '../../../support/waiting.ts'

const { signal } = new AbortController()

describe('storage/cacher: objects that are read without waiting', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  let storage: Storage

  const seed = (name: string, namespace = 'default') =>
    backend.apply([{ key: key(`${testPrefix}${namespace}/${name}`), value: testCodec.encode(testObject(name)) }])
  const open = () => {
    cacher = openCacher(backend)
    storage = cacher.storageFor('configmaps')
  }
  const namesBelow = (prefix: string) => storage.cachedObjects(key(prefix))?.map(each => each.attributes().name)

  beforeEach(() => {
    backend = new MemoryBackend()
  })
  afterEach(async () => {
    await cacher.close()
    await backend.close()
  })

  it('are undefined until the cache has them', async () => {
    seed('a')
    open()
    expect([storage.cachedObject(testKey('a')), storage.cachedObjects(testPrefix)]).to.deep.equal([undefined, undefined])
    await cacher.synced(signal)
    expect([storage.cachedObject(testKey('a'))?.attributes().name, namesBelow(testPrefix)]).to.deep.equal(['a', ['a']])
  })

  it('are the latest of the namespace, in key order', async () => {
    for (const [name, namespace] of [
      ['b', 'default'],
      ['a', 'default'],
      ['c', 'default-2'],
      ['d', 'aaa'],
    ] as const)
      seed(name, namespace)
    open()
    await cacher.synced(signal)
    expect([namesBelow(`${testPrefix}default/`), namesBelow(`${testPrefix}none/`)]).to.deep.equal([['a', 'b'], []])
    await storage.write(testKey('a'), put(testObject('a', { now: 'other' })), signal)
    await eventually('the write has come', () => JSON.stringify(storage.cachedObject(testKey('a'))?.object()).includes('other'))
  })

  it('are undefined if one of them cannot be read', async () => {
    seed('a')
    backend.apply([{ key: testKey('bad'), value: Buffer.from('{') }])
    open()
    await cacher.synced(signal)
    expect([storage.cachedObject(testKey('bad')), storage.cachedObjects(testPrefix)]).to.deep.equal([undefined, undefined])
    expect(storage.cachedObject(testKey('a'))?.attributes().name).to.equal('a')
  })

  it('are undefined if they are too many for one turn', async () => {
    for (let i = 0; i < 129; i++) seed(`n${i}`)
    open()
    await cacher.synced(signal)
    expect(storage.cachedObjects(testPrefix)).to.equal(undefined)
    await storage.write(testKey('n7'), async () => decided({ delete: true }), signal)
    await eventually('the deletion has come', () => storage.cachedObjects(testPrefix)?.length === 128)
  })

  it('are what a write returns if the cache has it by then, so that it is parsed once', async () => {
    open()
    await cacher.synced(signal)
    const write = backend.write.bind(backend)
    let waits = true
    backend.write = async (...args) => {
      const written = await write(...args)
      if (waits) await eventually('the cache has it', () => cacher.stats().revision === backend.revision)
      return written
    }
    const { object } = await storage.write(testKey('a'), put(testObject('a')), signal)
    expect(object).to.equal(storage.cachedObject(testKey('a')))
    waits = false
    const later = await storage.write(testKey('a'), put(testObject('a', { now: 'other' })), signal)
    await eventually('the write has come', () => storage.cachedObject(testKey('a'))?.revision === later.object.revision)
    expect(later.object.object()).to.deep.equal(storage.cachedObject(testKey('a'))?.object())
  })
})
