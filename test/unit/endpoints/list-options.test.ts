import { expect } from 'chai'
import { listOptions } from '../../../src/endpoints/list-options.ts'
import type { StatusError } from '../../../src/meta/status.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { refusal, refusalText, widgetResource } from '../../support/test-registry.ts'

const { hub } = widgetResource()
const { selectableFields: _, ...plain } = hub
const read = (search: string, name = '', version = hub) =>
  listOptions(new FakeExchange('/x', { search }), version, name, { watchList: true, shards: true })
/** Options with the gate WatchList off. */
const readPlainly = (search: string) => listOptions(new FakeExchange('/x', { search }), hub, '', { watchList: false })
const refused = async (search: string, name = '', version = hub) => refusalText(read(search, name, version))

describe('options of lists and watches', () => {
  it('have defaults without a query', async () => {
    expect(await read('')).to.deep.equal({
      labels: [],
      fields: [],
      resourceVersion: '',
      resourceVersionMatch: '',
      limit: 0,
      continue: '',
      allowWatchBookmarks: false,
      watch: false,
      timeoutSeconds: undefined,
    })
  })

  it('are decoded', async () => {
    const search =
      'watch=1&allowWatchBookmarks=true&resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=9&limit=3&labelSelector=a%3Db&fieldSelector=spec.color%3Dred'
    const { labels, ...rest } = await read(search)
    expect(labels).to.have.length(1)
    expect(rest).to.deep.equal({
      fields: [{ field: 'spec.color', op: '=', value: 'red' }],
      resourceVersion: '7',
      resourceVersionMatch: 'NotOlderThan',
      limit: 3,
      continue: '',
      allowWatchBookmarks: true,
      sendInitialEvents: true,
      watch: true,
      timeoutSeconds: 9,
    })
  })

  it('have a shard if the gate is on', async () => {
    const selector = encodeURIComponent("shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')")
    const { shard } = await read(`shardSelector=${selector}`)
    expect(shard).to.deep.equal({
      field: 'namespace',
      ranges: [{ start: { high: 0, low: 0 }, end: { high: 2 ** 32, low: 0 } }],
      text: "shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')",
    })
    expect(await read('shardSelector=')).not.to.have.property('shard')
    expect(await readPlainly(`shardSelector=x`)).not.to.have.property('shard')
    const message = 'invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator'
    expect(await refused('shardSelector=x')).to.equal(`500 : ${message}`)
    const error = await read('shardSelector=x').catch((error: unknown) => error)
    expect((error as StatusError).worded('1.38').status).to.include({ code: 400, reason: 'BadRequest', message })
  })

  const invalid: [search: string, faults: string[]][] = [
    [
      'resourceVersionMatch=Exact',
      ['resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided'],
    ],
    [
      'resourceVersionMatch=Exact&continue=x&resourceVersion=1',
      ['resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'],
    ],
    [
      'resourceVersionMatch=Odd&resourceVersion=1',
      ['resourceVersionMatch: Unsupported value: "Odd": supported values: "Exact", "NotOlderThan", ""'],
    ],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      ['resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
    ],
    ['sendInitialEvents=true', ['sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list']],
    [
      'resourceVersionMatch=Odd&sendInitialEvents=false',
      [
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
        'resourceVersionMatch: Unsupported value: "Odd": supported values: "Exact", "NotOlderThan", ""',
        'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      ],
    ],
    [
      'watch=1&sendInitialEvents=true',
      ['resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    ],
    [
      'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
      [
        'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
      ],
    ],
    [
      'watch=1&resourceVersionMatch=NotOlderThan',
      ['resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'],
    ],
    [
      'watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=false&continue=x',
      ['resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'],
    ],
  ]
  for (const [search, faults] of invalid)
    it(`refuse ${search}`, async () => {
      const { status } = await refusal(read(search))
      expect(status).to.include({ code: 422, reason: 'Invalid' })
      expect(status.message).to.equal(
        `ListOptions.meta.k8s.io "" is invalid: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`,
      )
      expect(status.details).to.include({ group: 'meta.k8s.io', kind: 'ListOptions' })
    })

  const NEEDS_GATE = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'
  for (const [search, message] of [
    ['watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', NEEDS_GATE],
    ['watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', NEEDS_GATE],
    [
      'watch=1&sendInitialEvents=true',
      `[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, ${NEEDS_GATE}]`,
    ],
    ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ] as const)
    it(`without WatchList, refuse ${search}`, async () => {
      const { status } = await refusal(readPlainly(search))
      expect([status.code, status.message]).to.deep.equal([422, `ListOptions.meta.k8s.io "" is invalid: ${message}`])
    })
  it('without WatchList, start watches without a bookmark after the initial events', async () => {
    expect((await readPlainly('watch=1')).startAtHand).to.equal(true)
    expect((await read('watch=1')).startAtHand).to.equal(undefined)
  })

  const bad: [string, search: string, version: typeof plain, text: string][] = [
    ['a number', 'limit=x', hub, '400 BadRequest: strconv.ParseInt: parsing "x": invalid syntax'],
    ['a field of another kind', 'fieldSelector=spec.other%3D1', hub, '400 BadRequest: field label not supported: spec.other'],
    ['a member of every object', 'fieldSelector=constructor%3D1', hub, '400 BadRequest: field label not supported: constructor'],
    [
      'any field, of a kind without',
      'fieldSelector=spec.color%3Dred',
      plain,
      '400 BadRequest: "spec.color" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ]
  for (const [what, search, version, text] of bad)
    it(`refuse ${what}`, async () => expect(await refused(search, '', version)).to.equal(text))

  it('refuse a namespace for a cluster-scoped kind with selectable fields', async () => {
    const inCluster = async (version: typeof plain) =>
      listOptions(new FakeExchange('/x', { search: 'fieldSelector=metadata.namespace%3Dx' }), version, '', { watchList: true }, false)
    expect(await refusalText(inCluster(hub))).to.equal('400 BadRequest: field label not supported: metadata.namespace')
    expect((await inCluster(plain)).fields).to.have.length(1)
  })

  it('refuse a continue token for a watch that starts at the latest state', async () => {
    expect(await refused('watch=1&continue=x')).to.contain('resourceVersionMatch is forbidden when continue is provided')
    expect(await refused('watch=1&continue=x&resourceVersion=0')).to.contain('resourceVersionMatch is forbidden when continue is provided')
    expect((await read('watch=1&continue=x&resourceVersion=5')).continue).to.equal('x')
    expect((await readPlainly('watch=1&continue=x')).continue).to.equal('x')
  })

  it('refuse invalid selectors', async () => {
    expect(await refused('labelSelector=a%3D%3D%3D')).to.match(/^400 BadRequest: unable to parse requirement: /)
    expect(await refused('fieldSelector=a')).to.match(/^400 BadRequest: invalid selector: /)
  })

  it('convert the name in the path to a field selector', async () => {
    const named = [{ field: 'metadata.name', op: '=', value: 'a' }]
    expect((await read('', 'a')).fields).to.deep.equal(named)
    expect((await read('watch=1', 'a')).fields).to.deep.equal(named)
    expect((await read('fieldSelector=metadata.name%3Da', 'a')).fields).to.deep.equal(named)
    expect(await refused('fieldSelector=metadata.name%3Db', 'a')).to.equal(
      "400 BadRequest: fieldSelector metadata.name doesn't match requested name",
    )
  })
})
