import { expect } from 'chai'
import { shardSelectorSteps } from '../../../src/cel/shard-selector.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { parseFieldSelector } from '../../../src/meta/field-selector.ts'
import { parseLabelSelector } from '../../../src/meta/label-selector.ts'
import { fnv1a64 } from '../../../src/meta/shard-selector.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { decodeContinue, encodeContinue } from '../../../src/registry/continue-token.ts'
import type { ListOptions } from '../../../src/registry/read.ts'
import { parseResourceVersion, predicateOf, readAt } from '../../../src/registry/read.ts'
import { createCacher } from '../../../src/storage/cacher/cacher.ts'
import type { Cacher } from '../../../src/storage/cacher/cacher-types.ts'
import { key, revision } from '../../../src/storage/revision.ts'
import { take, told } from '../../support/test-codec.ts'
import { listOptions, NEVER, refusal, refusalText, TestRegistry } from '../../support/test-registry.ts'

const prefix = key('/registry/widgets/')

describe('consistency of a list', () => {
  const table: [resourceVersion: string, match: ListOptions['resourceVersionMatch'], limit: number, at: unknown][] = [
    ['', '', 0, 'latest'],
    ['', '', 5, 'latest'],
    ['0', '', 0, 'any'],
    ['0', '', 5, 'any'],
    ['0', 'NotOlderThan', 0, 'any'],
    ['00', '', 0, 'any'],
    ['00', '', 5, 'latest'],
    ['00', 'Exact', 0, 'latest'],
    ['7', '', 0, { notOlderThan: 7 }],
    ['7', '', 5, { exactly: 7 }],
    ['7', 'Exact', 0, { exactly: 7 }],
    ['7', 'Exact', 5, { exactly: 7 }],
    ['7', 'NotOlderThan', 0, { notOlderThan: 7 }],
    ['7', 'NotOlderThan', 5, { notOlderThan: 7 }],
  ]
  for (const [resourceVersion, resourceVersionMatch, limit, at] of table)
    it(`resourceVersion=${resourceVersion}&resourceVersionMatch=${resourceVersionMatch}&limit=${limit}: ${JSON.stringify(at)}`, () =>
      expect(readAt(listOptions({ resourceVersion, resourceVersionMatch, limit }))).to.deep.equal(at))

  it('is not exact for a single name, unless the request sets Exact', () => {
    expect(readAt(listOptions({ resourceVersion: '7', limit: 5 }), true)).to.deep.equal('latest')
    expect(readAt(listOptions({ resourceVersion: '7', resourceVersionMatch: 'Exact' }), true)).to.deep.equal({ exactly: 7 })
  })

  it('rejects versions that are not 64-bit numbers', () => {
    expect(parseResourceVersion('')).to.equal(undefined)
    expect(parseResourceVersion('0')).to.equal(undefined)
    expect(parseResourceVersion('12')).to.equal(12)
    const text = (value: string, why: string) =>
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(value)}: strconv.ParseUint: parsing ${JSON.stringify(value)}: ${why}`
    for (const [value, why] of [
      ['abc', 'invalid syntax'],
      ['-1', 'invalid syntax'],
      ['1.0', 'invalid syntax'],
      ['18446744073709551616', 'value out of range'],
    ] as const)
      expect(() => parseResourceVersion(value), value)
        .to.throw()
        .with.property('message', text(value, why))
  })
})

describe('selectors as predicates', () => {
  const attributes = (name: string, labels: Record<string, string> = {}) => ({
    namespace: 'ns',
    name,
    uid: `${name}-${name}`,
    labels,
    fields: { 'metadata.name': name, 'metadata.namespace': 'ns' },
  })
  const predicate = (labels: string, fields: string) => predicateOf(parseLabelSelector(labels), parseFieldSelector(fields))

  it('match everything if they are empty', () => expect(predicate('', '')).to.include({ everything: true }))

  it('have hints for a required name and namespace', () => {
    expect(predicate('', 'metadata.name=a,metadata.namespace=ns')).to.include({ everything: false, name: 'a', namespace: 'ns' })
    expect(predicate('a=b', 'metadata.name!=a')).to.not.have.any.keys('name', 'namespace')
  })

  it('match only objects of a shard, which may be any object', () => {
    const { matches, inShard, ...rest } = predicateOf(
      [],
      [],
      runAtOnce(shardSelectorSteps("shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')")),
    )
    expect(rest).to.deep.equal({ everything: false })
    const names = Array.from({ length: 40 }, (_, i) => String(i * i))
    const shown = names.filter(name => matches(attributes(name)))
    expect(shown).to.deep.equal(names.filter(name => fnv1a64(`${name}-${name}`).high < 0x8000_0000))
    expect(shown).to.deep.equal(names.filter(name => inShard?.(attributes(name))))
    expect(shown.length).to.be.within(1, names.length - 1)
  })

  it('read labels only of objects whose names match', () => {
    const { matches } = predicate('app=x', 'metadata.name=b')
    let read = 0
    const counted = (name: string) => ({
      ...attributes(name),
      get labels() {
        read++
        return attributes(name, { app: 'x' }).labels
      },
    })
    expect(['a', 'b', 'c'].map(name => matches(counted(name)))).to.deep.equal([false, true, false])
    expect(read).to.equal(1)
    expect(predicate('', 'metadata.name=b').matches(counted('b'))).to.equal(true)
    expect(read).to.equal(1)
  })

  it('match only if labels and fields do', () => {
    const { matches } = predicate('app=x', 'metadata.name!=b')
    const seen = [attributes('a', { app: 'x' }), attributes('b', { app: 'x' }), attributes('c', { app: 'y' })].map(matches)
    expect(seen).to.deep.equal([true, false, false])
  })
})

describe('reading through the registry', () => {
  let t: TestRegistry
  const list = (options: Partial<ListOptions>, namespace = '') => t.store.list(t.served(), namespace, listOptions(options), NEVER)
  const names = async (options: Partial<ListOptions>, namespace = '') =>
    (await list(options, namespace)).items.map(item => item.attributes().name)

  beforeEach(async () => {
    t = new TestRegistry()
    for (const name of ['a', 'b', 'c', 'd'])
      await t.create({ name, labels: { odd: String('ac'.includes(name)) } }, { spec: { color: `${name}-ish` } })
    await t.create({ name: 'e' }, {}, { namespace: 'other' })
  }) // revisions 2 to 6

  it('gets at any version that is not in the future', async () => {
    const get = (name: string, resourceVersion: string) => t.store.get(t.served(), 'ns', name, resourceVersion, NEVER)
    for (const version of ['', '0', '2', '6']) expect((await get('a', version)).object().metadata.resourceVersion).to.equal('2')
    expect(await refusalText(get('x', ''))).to.equal('404 NotFound: widgets.example.io "x" not found')
    expect(await refusalText(get('a', '7'))).to.equal('504 Timeout: Timeout: Too large resource version: 7, current: 6')
    expect(await refusalText(get('a', 'q'))).to.equal(
      '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "q": strconv.ParseUint: parsing "q": invalid syntax',
    )
  })

  const selections: [string, Partial<ListOptions>, string, string[]][] = [
    ['everything', {}, '', ['a', 'b', 'c', 'd', 'e']],
    ['a namespace', {}, 'ns', ['a', 'b', 'c', 'd']],
    ['labels', { labels: parseLabelSelector('odd=true') }, '', ['a', 'c']],
    ['a name', { fields: parseFieldSelector('metadata.name=b') }, '', ['b']],
    ['a field of the kind', { fields: parseFieldSelector('spec.color!=b-ish') }, 'ns', ['a', 'c', 'd']],
    ['the state of an exact version', { resourceVersion: '3', resourceVersionMatch: 'Exact' }, '', ['a', 'b']],
    ['at least as new', { resourceVersion: '3' }, '', ['a', 'b', 'c', 'd', 'e']],
    ['a page at a version', { resourceVersion: '4', limit: 9 }, '', ['a', 'b', 'c']],
    ['one object in its current state', { resourceVersion: '2', limit: 9, fields: parseFieldSelector('metadata.name=c') }, 'ns', ['c']],
    ['one name in all namespaces, as it was', { resourceVersion: '2', limit: 9, fields: parseFieldSelector('metadata.name=c') }, '', []],
    [
      'one name in a namespace that a selector picks',
      { resourceVersion: '2', limit: 9, fields: parseFieldSelector('metadata.namespace=ns,metadata.name=c') },
      '',
      ['c'],
    ],
    ['without a cache the cached state, by the limit', { resourceVersion: '0', limit: 1 }, '', ['a']],
  ]
  for (const [what, options, namespace, expected] of selections)
    it(`lists ${what}`, async () => expect(await names(options, namespace)).to.deep.equal(expected))

  it('lists in pages of one version', async () => {
    const first = await list({ limit: 2 }, 'ns')
    expect(first.remainingItemCount).to.equal(2)
    expect(first.resourceVersion).to.equal('6')
    await t.create({ name: 'bb' })
    const second = await list({ limit: 1, continue: first.continue }, 'ns')
    expect(second.items.map(item => item.attributes().name)).to.deep.equal(['c'])
    expect(second).to.include({ resourceVersion: '6', remainingItemCount: 1 })
    const third = await list({ continue: second.continue }, 'ns')
    expect(third.items.map(item => item.attributes().name)).to.deep.equal(['d'])
    expect(third).to.include({ continue: '', remainingItemCount: undefined })
  })

  it('does not count remaining objects with a selector', async () => {
    const page = await list({ limit: 1, labels: parseLabelSelector('odd=true') }, 'ns')
    expect(page.continue).to.not.equal('')
    expect(page.remainingItemCount).to.equal(undefined)
  })

  it('continues at the latest revision with a token for an inconsistent list', async () => {
    await t.create({ name: 'cc' })
    const token = encodeContinue(key('/registry/widgets/ns/c'), key('/registry/widgets/ns/'), -1)
    const page = await list({ continue: token }, 'ns')
    expect(page.items.map(item => item.attributes().name)).to.deep.equal(['c', 'cc', 'd'])
    expect(page.resourceVersion).to.equal('7')
  })

  it('fails immediately for a future version', async () => {
    const token = encodeContinue(key('/registry/widgets/ns/c'), key('/registry/widgets/ns/'), revision(1_000_000))
    expect(await refusalText(list({ continue: token }, 'ns'))).to.equal('500 : etcdserver: mvcc: required revision is a future revision')
    expect(t.backend.calls.currentRevision).to.equal(1)
  })

  it('returns 410 and a token that continues for an expired token', async () => {
    const first = await list({ limit: 2 }, 'ns')
    await t.create({ name: 'f' })
    await t.backend.compact(revision(7), NEVER)
    const error = await refusal(list({ limit: 2, continue: first.continue }, 'ns'))
    expect(error.status).to.include({ code: 410, reason: 'Expired' })
    expect(error.message).to.match(
      /^The provided continue parameter is too old to display a consistent list result\. .* may show up in the list\.$/,
    )
    const token = error.status.metadata.continue as string
    expect(decodeContinue(token, key('/registry/widgets/ns/'))).to.deep.equal({ start: '/registry/widgets/ns/b\0', revision: -1 })
    expect(await names({ continue: token }, 'ns')).to.deep.equal(['c', 'd', 'f'])
  })

  const refused: [string, () => Partial<ListOptions>, string][] = [
    [
      'an invalid token',
      () => ({ continue: '!' }),
      '400 BadRequest: invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
    ],
    [
      'a version beside a token',
      () => ({ continue: encodeContinue(key('/registry/widgets/a'), prefix, revision(5)), resourceVersion: '5' }),
      '400 BadRequest: specifying resource version is not allowed when using continue',
    ],
    ['a future version', () => ({ resourceVersion: '90' }), '504 Timeout: Timeout: Too large resource version: 90, current: 6'],
    [
      'an invalid version',
      () => ({ resourceVersion: 'x' }),
      '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
  ]
  for (const [what, options, text] of refused) it(`refuses ${what}`, async () => expect(await refusalText(list(options()))).to.equal(text))

  it('reads a single object at the latest revision if a limit is set, without waiting for the version', async () => {
    const of = (resourceVersion: string) => ({ fields: parseFieldSelector('metadata.name=a'), limit: 2, resourceVersion })
    await t.update('a', { size: 2 })
    expect((await list(of('2'), 'ns')).resourceVersion).to.equal('7')
    const { status } = await refusal(list(of('90'), 'ns'))
    expect([status.message, status.details?.retryAfterSeconds]).to.deep.equal([
      'Timeout: Too large resource version: 90, current: 7',
      undefined,
    ])
    expect((await list(of('6'))).resourceVersion, 'of all namespaces, exactly that version').to.equal('6')
  })

  it('rejects a compacted version', async () => {
    await t.backend.compact(revision(5), NEVER)
    const text = '410 Expired: The resourceVersion for the provided list is too old.'
    expect(await refusalText(list({ resourceVersion: '3', resourceVersionMatch: 'Exact' }))).to.equal(text)
  })
})

describe('watching through the registry', () => {
  let t: TestRegistry
  const starts: [string, Partial<ListOptions>, count: number, string[]][] = [
    ['no version: the current state, then changes', {}, 3, ['added a@2', 'added b@3', 'added c@4']],
    ['version 0: likewise', { resourceVersion: '0' }, 3, ['added a@2', 'added b@3', 'added c@4']],
    [
      'no version, with bookmarks: also the end of the initial state',
      { allowWatchBookmarks: true },
      4,
      ['added a@2', 'added b@3', 'bookmark end@3', 'added c@4'],
    ],
    [
      'no version, with bookmarks, as before WatchList: no end',
      { allowWatchBookmarks: true, startAtHand: true },
      3,
      ['added a@2', 'added b@3', 'added c@4'],
    ],
    ['a version, with bookmarks: no end of anything', { allowWatchBookmarks: true, resourceVersion: '2' }, 2, ['added b@3', 'added c@4']],
    ['a version: changes after it', { resourceVersion: '2' }, 2, ['added b@3', 'added c@4']],
    ['no initial events: changes from now on', { sendInitialEvents: false }, 1, ['added c@4']],
    [
      'initial events with their end',
      { sendInitialEvents: true, allowWatchBookmarks: true },
      4,
      ['added a@2', 'added b@3', 'bookmark end@3', 'added c@4'],
    ],
    [
      'initial events at least as new as a version',
      { sendInitialEvents: true, resourceVersion: '3' },
      3,
      ['added a@2', 'added b@3', 'added c@4'],
    ],
    ['a selector', { labels: parseLabelSelector('keep') }, 2, ['added a@2', 'added c@4']],
  ]
  for (const cached of [false, true])
    for (const [what, options, count, expected] of starts)
      it(`starts ${what} (${cached ? 'the cache' : 'the store itself'})`, async () => {
        let cacher: Cacher | undefined
        t = new TestRegistry(
          undefined,
          cached
            ? (backend, definition) => {
                cacher = createCacher(backend, [{ name: 'widgets', prefix, codec: codecOf(definition, 'test'), namespaced: true }])
                return cacher.storageFor('widgets')
              }
            : undefined,
        )
        await t.create({ name: 'a', labels: { keep: 'x' } })
        await t.create({ name: 'b' })
        const watcher = await t.store.watch(t.served(), '', listOptions(options), NEVER)
        await t.create({ name: 'c', labels: { keep: 'x' } })
        expect(told(await take(watcher, count))).to.deep.equal(expected)
        watcher.close()
        await cacher?.close()
      })

  it('rejects a malformed version, and a compacted one', async () => {
    t = new TestRegistry()
    await t.create({ name: 'a' })
    await t.create({ name: 'b' })
    await t.create({ name: 'c' })
    await t.backend.compact(revision(4), NEVER)
    const watch = (resourceVersion: string) => t.store.watch(t.served(), '', listOptions({ resourceVersion }), NEVER)
    expect(await refusalText(watch('x'))).to.equal(
      '500 : resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    )
    expect(await refusalText(watch('1'))).to.equal('410 Expired: The resourceVersion for the provided watch is too old.')
  })
})
