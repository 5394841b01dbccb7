import type { JsonObject } from '../../../src/api/meta/object.ts'

/**
 * A write: `apply`, `force` (apply by force) or `update` by a manager, in a version; or `schema`, from which on the
 * type is the one named.
 */
export type Op = readonly [verb: 'apply' | 'force' | 'update' | 'schema', manager: string, body?: JsonObject, version?: string]

export interface Row {
  readonly name: string
  readonly ops: readonly Op[]
  /** The object after all writes. */
  readonly object: JsonObject
  /** Who owns what then; `name*`: as an updater. */
  readonly owners: Readonly<Record<string, readonly string[]>>
  /** The writes that were refused, by their index: conflicts, or what is wrong with the configuration. */
  readonly told?: readonly (readonly (number | string)[])[]
  /** Versions that are served; absent: all. */
  readonly served?: readonly string[]
  readonly reset?: readonly (readonly string[])[]
}

/** Every way in which a member can be merged. */
export const TYPES = `
type Thing typemeta
  s 1 string?
  n 2 int64?
  b 3 *bool?
  set 4 []string? set
  nums 5 []int64? set
  plain 6 []string?
  atoms 7 []string? atomic
  map 8 map[string]string?
  whole 9 map[string]string? atomic
  items 10 []Item? map(name)
  ports 11 []Port? map(port,protocol)
  obj 12 *Inner?
  value 13 *Value?
  tree 14 map[string]Inner?
  deep 15 []Deep? map(name)
  pinned 16 *Inner? atomic
  free 17 *RawExtension?
  any 18 *JSON?

type Loose typemeta
  s 1 string?
  obj 12 *Inner? atomic
  items 10 []Item? atomic
  map 8 map[string]string? atomic
  set 4 []string? atomic

type Tight typemeta
  s 1 string?
  obj 12 *Inner?
  items 10 []Item? map(name)
  map 8 map[string]string?
  set 4 []string? set

type Item
  name 1 string
  value 2 string?
  tags 3 []string? set
  inner 4 *Inner?

type Port
  port 1 int64?
  protocol 2 string? = "TCP"
  name 3 string?

type Inner
  a 1 string?
  c 2 string?
  more 3 *Inner?

type Value atomic
  a 1 string?
  c 2 string?

type Deep
  name 1 string
  items 2 []Item? map(name)
  map 3 map[string]string?
`

const apply = (manager: string, body: JsonObject, version = 'v1'): Op => ['apply', manager, body, version]
const force = (manager: string, body: JsonObject, version = 'v1'): Op => ['force', manager, body, version]
const update = (manager: string, body: JsonObject, version = 'v1'): Op => ['update', manager, body, version]
const schema = (type: string): Op => ['schema', type]

export const rows: readonly Row[] = [
  // Leaves
  {
    name: 'an apply owns the fields that it contains',
    ops: [apply('a', { s: 'x', n: 1 })],
    object: { s: 'x', n: 1 },
    owners: { a: ['.n', '.s'] },
  },
  {
    name: 'an applier gives up fields that it no longer contains',
    ops: [apply('a', { s: 'x', n: 1 }), apply('a', { n: 2 })],
    object: { n: 2 },
    owners: { a: ['.n'] },
  },
  {
    name: 'a field that an updater also owns stays',
    ops: [apply('a', { s: 'x', n: 1 }), update('u', { s: 'y', n: 1 }), apply('a', { n: 1 })],
    object: { s: 'y', n: 1 },
    owners: { a: ['.n'], 'u*': ['.s'] },
  },
  {
    name: 'an update owns the fields that it changes',
    ops: [apply('a', { s: 'x', n: 1 }), update('u', { s: 'y', n: 1 })],
    object: { s: 'y', n: 1 },
    owners: { a: ['.n'], 'u*': ['.s'] },
  },
  {
    name: 'an update that removes owns nothing',
    ops: [apply('a', { s: 'x', n: 1 }), update('u', { n: 1 })],
    object: { n: 1 },
    owners: { a: ['.n'] },
  },
  {
    name: 'a field of another manager is a conflict',
    ops: [update('u', { s: 'x', n: 1 }), apply('a', { s: 'y', n: 2 })],
    object: { s: 'x', n: 1 },
    owners: { 'u*': ['.n', '.s'] },
    told: [[1, 'u .n', 'u .s']],
  },
  {
    name: 'the same value is shared',
    ops: [apply('a', { s: 'x' }), apply('o', { s: 'x' })],
    object: { s: 'x' },
    owners: { o: ['.s'], a: ['.s'] },
  },
  {
    name: 'who shares may leave',
    ops: [apply('a', { s: 'x' }), apply('o', { s: 'x', n: 1 }), apply('o', { n: 1 })],
    object: { s: 'x', n: 1 },
    owners: { a: ['.s'], o: ['.n'] },
  },
  {
    name: 'force takes from all',
    ops: [apply('a', { s: 'x', b: true }), apply('o', { s: 'x' }), force('z', { s: 'y' })],
    object: { s: 'y', b: true },
    owners: { a: ['.b'], z: ['.s'] },
  },
  { name: 'an apply of nothing gives all up', ops: [apply('a', { s: 'x' }), apply('a', {})], object: {}, owners: {} },
  {
    name: 'an applier and an updater of one name are two',
    ops: [apply('a', { s: 'x' }), update('a', { s: 'y' }), apply('a', { s: 'z' })],
    object: { s: 'y' },
    owners: { 'a*': ['.s'] },
    told: [[2, 'a .s']],
  },
  { name: 'a null is owned', ops: [apply('a', { s: null, n: 1 })], object: { s: null, n: 1 }, owners: { a: ['.n', '.s'] } },
  {
    name: 'an unknown member is refused',
    ops: [apply('a', { s: 'x', zzz: 1 })],
    object: {},
    owners: {},
    told: [[0, '/v1, Kind=Thing): .zzz: field not declared in schema']],
  },
  {
    name: 'a value of another kind is refused',
    ops: [apply('a', { s: 1, n: 'x', b: 'x', set: 'x', map: 'x' })],
    object: {},
    owners: {},
    told: [
      [
        0,
        '/v1, Kind=Thing): errors:\n  .s: expected string, got &value.valueUnstructured{Value:1}\n  .n: expected numeric (int or float), got string\n  .b: expected boolean, got &{x}\n  .set: expected list, got &{x}\n  .map: expected map, got &{x}',
      ],
    ],
  },
  // Sets
  {
    name: 'each applier of a set owns its elements',
    ops: [apply('a', { set: ['a', 'c'] }), apply('o', { set: ['b', 'c'] })],
    object: { set: ['a', 'b', 'c'] },
    owners: { a: ['.set[="a"]', '.set[="c"]'], o: ['.set[="b"]', '.set[="c"]'] },
  },
  {
    name: 'an element leaves with its last owner',
    ops: [apply('a', { set: ['a', 'c'] }), apply('o', { set: ['b', 'c'] }), apply('a', { set: ['a'] }), apply('o', { set: ['b'] })],
    object: { set: ['a', 'b'] },
    owners: { a: ['.set[="a"]'], o: ['.set[="b"]'] },
  },
  {
    name: 'a set keeps the order of the applied elements',
    ops: [apply('a', { set: ['a', 'b', 'c', 'd'] }), apply('a', { set: ['d', 'c', 'b', 'a'] })],
    object: { set: ['d', 'c', 'b', 'a'] },
    owners: { a: ['.set[="a"]', '.set[="b"]', '.set[="c"]', '.set[="d"]'] },
  },
  {
    name: 'elements of others keep their positions',
    ops: [update('u', { set: ['1', '2', '3', '4'] }), apply('a', { set: ['4', 'x', '2'] })],
    object: { set: ['1', '3', '4', 'x', '2'] },
    owners: { a: ['.set[="2"]', '.set[="4"]', '.set[="x"]'], 'u*': ['.set', '.set[="1"]', '.set[="2"]', '.set[="3"]', '.set[="4"]'] },
  },
  {
    name: 'a set of numbers is ordered as numbers',
    ops: [apply('a', { nums: [10, 9, 1] })],
    object: { nums: [10, 9, 1] },
    owners: { a: ['.nums[=1]', '.nums[=9]', '.nums[=10]'] },
  },
  {
    name: 'duplicates in the applied configuration are rejected',
    ops: [apply('a', { set: ['a', 'a'] })],
    object: {},
    owners: {},
    told: [[0, '/v1, Kind=Thing): .set: duplicate entries for key [="a"]']],
  },
  {
    name: 'duplicates of an updater are one path',
    ops: [update('u', { set: ['a', 'a', 'b'] })],
    object: { set: ['a', 'a', 'b'] },
    owners: { 'u*': ['.set', '.set[="a"]', '.set[="b"]'] },
  },
  {
    name: 'duplicates of others are kept',
    ops: [update('u', { set: ['a', 'a', 'b'] }), apply('a', { set: ['c'] })],
    object: { set: ['a', 'a', 'b', 'c'] },
    owners: { a: ['.set[="c"]'], 'u*': ['.set', '.set[="a"]', '.set[="b"]'] },
  },
  {
    name: 'duplicates are taken over by who applies one of them',
    ops: [update('u', { set: ['a', 'a', 'b'] }), force('a', { set: ['a'] })],
    object: { set: ['a', 'b'] },
    owners: { a: ['.set[="a"]'], 'u*': ['.set', '.set[="b"]'] },
  },
  {
    name: 'duplicates that become one are a change',
    ops: [update('u', { set: ['a', 'a', 'b'] }), update('v', { set: ['a', 'b'] })],
    object: { set: ['a', 'b'] },
    owners: { 'u*': ['.set', '.set[="b"]'], 'v*': ['.set[="a"]'] },
  },
  { name: 'an empty set contains no element', ops: [apply('a', { set: [] })], object: { set: [] }, owners: {} },
  // Lists of type map
  {
    name: 'elements are merged by key',
    ops: [
      apply('a', { items: [{ name: 'x', value: '1' }] }),
      apply('o', {
        items: [
          { name: 'y', value: '2' },
          { name: 'x', tags: ['t'] },
        ],
      }),
    ],
    object: {
      items: [
        { name: 'y', value: '2' },
        { name: 'x', value: '1', tags: ['t'] },
      ],
    },
    owners: {
      a: ['.items[name="x"]', '.items[name="x"].name', '.items[name="x"].value'],
      o: [
        '.items[name="x"]',
        '.items[name="y"]',
        '.items[name="x"].name',
        '.items[name="x"].tags[="t"]',
        '.items[name="y"].name',
        '.items[name="y"].value',
      ],
    },
  },
  {
    name: 'an element stays while another manager owns part of it',
    ops: [apply('a', { items: [{ name: 'x', value: '1' }] }), apply('o', { items: [{ name: 'x', tags: ['t'] }] }), apply('a', {})],
    object: { items: [{ name: 'x', tags: ['t'] }] },
    owners: { o: ['.items[name="x"]', '.items[name="x"].name', '.items[name="x"].tags[="t"]'] },
  },
  {
    name: 'an element is removed with its last owner',
    ops: [apply('a', { items: [{ name: 'x', value: '1' }, { name: 'y' }] }), apply('a', { items: [{ name: 'y' }] })],
    object: { items: [{ name: 'y' }] },
    owners: { a: ['.items[name="y"]', '.items[name="y"].name'] },
  },
  {
    name: 'an element is removed with fields that others own below it, unless they own the element',
    ops: [apply('a', { items: [{ name: 'x' }] }), update('u', { items: [{ name: 'x', value: '1' }] }), apply('a', { items: [] })],
    object: { items: null },
    owners: {},
  },
  {
    name: 'an omitted key has its default',
    ops: [apply('a', { ports: [{ port: 80 }] }), apply('o', { ports: [{ port: 80, protocol: 'TCP', name: 'web' }] })],
    object: { ports: [{ port: 80, protocol: 'TCP', name: 'web' }] },
    owners: {
      a: ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
      o: [
        '.ports[port=80,protocol="TCP"]',
        '.ports[port=80,protocol="TCP"].name',
        '.ports[port=80,protocol="TCP"].port',
        '.ports[port=80,protocol="TCP"].protocol',
      ],
    },
  },
  {
    name: 'elements differ in any key',
    ops: [apply('a', { ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }, { port: 81 }] })],
    object: { ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }, { port: 81 }] },
    owners: {
      a: [
        '.ports[port=80,protocol="TCP"]',
        '.ports[port=80,protocol="UDP"]',
        '.ports[port=81,protocol="TCP"]',
        '.ports[port=80,protocol="TCP"].port',
        '.ports[port=80,protocol="UDP"].port',
        '.ports[port=80,protocol="UDP"].protocol',
        '.ports[port=81,protocol="TCP"].port',
      ],
    },
  },
  {
    name: 'the default makes a duplicate',
    ops: [apply('a', { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] })],
    object: {},
    owners: {},
    told: [[0, '/v1, Kind=Thing): .ports: duplicate entries for key [port=80,protocol="TCP"]']],
  },
  {
    name: 'a key that is missing is refused',
    ops: [apply('a', { ports: [{ protocol: 'UDP' }] }), apply('a', { items: [{ value: '1' }] })],
    object: { items: [{ value: '1' }] },
    owners: { a: ['.items[name=""]', '.items[name=""].value'] },
    told: [
      [
        0,
        '/v1, Kind=Thing): .ports: element 0: associative list with keys has an element that omits key field "port" (and doesn\'t have default value)',
      ],
    ],
  },
  {
    name: 'repeated elements of an updater are one path',
    ops: [update('u', { items: [{ name: 'x', value: '1' }, { name: 'x', value: '2' }, { name: 'y' }] })],
    object: { items: [{ name: 'x', value: '1' }, { name: 'x', value: '2' }, { name: 'y' }] },
    owners: { 'u*': ['.items', '.items[name="x"]', '.items[name="y"]', '.items[name="y"].name'] },
  },
  {
    name: 'repeated elements stay beside others',
    ops: [
      update('u', {
        items: [
          { name: 'x', value: '1' },
          { name: 'x', value: '2' },
        ],
      }),
      apply('a', { items: [{ name: 'y' }] }),
    ],
    object: { items: [{ name: 'x', value: '1' }, { name: 'x', value: '2' }, { name: 'y' }] },
    owners: { a: ['.items[name="y"]', '.items[name="y"].name'], 'u*': ['.items', '.items[name="x"]'] },
  },
  {
    name: 'repeated elements are replaced by one',
    ops: [
      update('u', {
        items: [
          { name: 'x', value: '1' },
          { name: 'x', value: '2' },
        ],
      }),
      force('a', { items: [{ name: 'x', value: '3' }] }),
    ],
    object: { items: [{ name: 'x', value: '3' }] },
    owners: { a: ['.items[name="x"]', '.items[name="x"].name', '.items[name="x"].value'], 'u*': ['.items'] },
  },
  {
    name: 'a change of one of repeated elements takes all',
    ops: [
      update('u', {
        items: [
          { name: 'x', value: '1' },
          { name: 'x', value: '2' },
        ],
      }),
      update('v', {
        items: [
          { name: 'x', value: '1' },
          { name: 'x', value: '3' },
        ],
      }),
    ],
    object: {
      items: [
        { name: 'x', value: '1' },
        { name: 'x', value: '3' },
      ],
    },
    owners: { 'u*': ['.items'], 'v*': ['.items[name="x"]'] },
  },
  {
    name: 'lists in elements are merged',
    ops: [
      apply('a', { deep: [{ name: 'x', items: [{ name: 'i', value: '1' }], map: { k: '1' } }] }),
      apply('o', { deep: [{ name: 'x', items: [{ name: 'j' }], map: { l: '1' } }] }),
      apply('a', { deep: [{ name: 'x' }] }),
    ],
    object: { deep: [{ name: 'x', items: [{ name: 'j' }], map: { l: '1' } }] },
    owners: {
      o: [
        '.deep[name="x"]',
        '.deep[name="x"].name',
        '.deep[name="x"].items[name="j"]',
        '.deep[name="x"].items[name="j"].name',
        '.deep[name="x"].map.l',
      ],
      a: ['.deep[name="x"]', '.deep[name="x"].name'],
    },
  },
  // Atomic
  {
    name: 'an atomic list is one value',
    ops: [apply('a', { atoms: ['a', 'b'] }), apply('o', { atoms: ['b'] })],
    object: { atoms: ['a', 'b'] },
    owners: { a: ['.atoms'] },
    told: [[1, 'a .atoms']],
  },
  {
    name: 'a list without a type is atomic',
    ops: [apply('a', { plain: ['a', 'b'] }), force('o', { plain: ['b'] })],
    object: { plain: ['b'] },
    owners: { o: ['.plain'] },
  },
  {
    name: 'an atomic map is one value',
    ops: [apply('a', { whole: { a: '1' } }), force('o', { whole: { b: '1' } })],
    object: { whole: { b: '1' } },
    owners: { o: ['.whole'] },
  },
  {
    name: 'an atomic struct is one value',
    ops: [apply('a', { value: { a: '1' } }), apply('o', { value: { c: '1' } })],
    object: { value: { a: '1' } },
    owners: { a: ['.value'] },
    told: [[1, 'a .value']],
  },
  {
    name: 'a field may make a struct atomic',
    ops: [apply('a', { pinned: { a: '1', more: { a: '1' } } }), apply('o', { obj: { a: '1', more: { a: '1' } } })],
    object: { pinned: { a: '1', more: { a: '1' } }, obj: { a: '1', more: { a: '1' } } },
    owners: { a: ['.pinned'], o: ['.obj.a', '.obj.more.a'] },
  },
  // Maps and structs
  {
    name: 'members of a map have owners',
    ops: [apply('a', { map: { a: '1', b: '1' } }), apply('o', { map: { c: '1' } }), apply('a', { map: { b: '1' } })],
    object: { map: { b: '1', c: '1' } },
    owners: { o: ['.map.c'], a: ['.map.b'] },
  },
  {
    name: 'an empty map is owned itself',
    ops: [apply('a', { map: {} }), apply('o', { map: { k: 'v' } })],
    object: { map: { k: 'v' } },
    owners: { a: ['.map'], o: ['.map.k'] },
  },
  {
    name: 'members of a struct have owners',
    ops: [apply('a', { obj: { a: '1', more: { a: '2' } } }), apply('o', { obj: { c: '1' } }), apply('a', { obj: { a: '1' } })],
    object: { obj: { a: '1', c: '1' } },
    owners: { o: ['.obj.c'], a: ['.obj.a'] },
  },
  {
    name: 'an empty struct is owned itself',
    ops: [apply('a', { obj: {} }), apply('o', { obj: { a: '1' } }), apply('o', {})],
    object: { obj: null },
    owners: { a: ['.obj'] },
  },
  {
    name: 'structs in a map are merged',
    ops: [apply('a', { tree: { x: { a: '1' } } }), apply('o', { tree: { x: { c: '1' }, y: {} } }), apply('a', {})],
    object: { tree: { x: { c: '1' }, y: {} } },
    owners: { o: ['.tree.x', '.tree.y', '.tree.x.c'] },
  },
  {
    name: 'a struct that loses its last member is null',
    ops: [apply('a', { obj: { more: { a: '1' } } }), apply('a', { obj: { more: {} } })],
    object: { obj: { more: null } },
    owners: { a: ['.obj.more'] },
  },
  {
    name: 'an updater keeps a struct that an applier gives up',
    ops: [apply('a', { obj: { a: '1' } }), update('u', { obj: { a: '1', c: '2' } }), apply('a', {})],
    object: { obj: { c: '2' } },
    owners: { 'u*': ['.obj.c'] },
  },
  // Without a schema
  {
    name: 'free values are merged by member',
    ops: [apply('a', { any: { x: { y: 1 } } }), apply('o', { any: { x: { z: [1] } } }), apply('a', { any: {} })],
    object: { any: { x: { z: [1] } } },
    owners: { o: ['.any.x', '.any.x.z'], a: ['.any'] },
  },
  {
    name: 'a free value that changes its kind is a conflict',
    ops: [apply('a', { any: { x: { y: 1 } } }), apply('o', { any: { x: 1 } }), force('o', { any: { x: 1 } })],
    object: { any: { x: 1 } },
    owners: { o: ['.any.x'] },
    told: [[1, 'a .any.x']],
  },
  {
    name: 'lists of free values are one value',
    ops: [apply('a', { any: { l: [1, { a: 1 }] } }), apply('o', { any: { l: [1] } })],
    object: { any: { l: [1, { a: 1 }] } },
    owners: { a: ['.any.l'] },
    told: [[1, 'a .any.l']],
  },
  {
    name: 'an extension is one value',
    ops: [apply('a', { free: { x: 1 } }), apply('o', { free: { y: 1 } })],
    object: { free: { x: 1 } },
    owners: { a: ['.free'] },
    told: [[1, 'a .free']],
  },
  // Changes of the schema
  {
    name: 'a field that becomes atomic is owned as one value',
    ops: [
      schema('Tight'),
      apply('a', { obj: { a: '1' }, items: [{ name: 'x' }], map: { k: '1' }, set: ['e'] }),
      schema('Loose'),
      apply('o', { s: 'x' }),
    ],
    object: { obj: { a: '1' }, items: [{ name: 'x' }], map: { k: '1' }, set: ['e'], s: 'x' },
    owners: { a: ['.items', '.map', '.obj', '.set'], o: ['.s'] },
  },
  {
    name: 'a field that becomes atomic conflicts as one value',
    ops: [
      schema('Tight'),
      apply('a', { obj: { a: '1' }, map: { k: '1' } }),
      schema('Loose'),
      apply('o', { obj: { c: '1' }, map: { l: '1' } }),
    ],
    object: { obj: { a: '1' }, map: { k: '1' } },
    owners: { a: ['.map.k', '.obj.a'] },
    told: [[3, 'a .map', 'a .obj']],
  },
  {
    name: 'a field that becomes atomic is replaced by its owner',
    ops: [
      schema('Tight'),
      apply('a', { obj: { a: '1' }, map: { k: '1' } }),
      schema('Loose'),
      apply('a', { obj: { c: '1' }, map: { l: '1' } }),
    ],
    object: { obj: { c: '1' }, map: { l: '1' } },
    owners: { a: ['.map', '.obj'] },
  },
  {
    name: 'a field that becomes granular accepts members of others',
    ops: [
      schema('Loose'),
      apply('a', { obj: { a: '1' }, items: [{ name: 'x' }], map: { k: '1' }, set: ['e'] }),
      schema('Tight'),
      apply('o', { obj: { c: '1' }, items: [{ name: 'y' }], map: { l: '1' }, set: ['f'] }),
    ],
    object: { obj: { a: '1', c: '1' }, items: [{ name: 'x' }, { name: 'y' }], map: { k: '1', l: '1' }, set: ['e', 'f'] },
    owners: { a: ['.items', '.map', '.obj', '.set'], o: ['.items[name="y"]', '.items[name="y"].name', '.map.l', '.obj.c', '.set[="f"]'] },
  },
  {
    name: 'a field that becomes granular keeps members that its owner drops',
    ops: [
      schema('Loose'),
      apply('a', { obj: { a: '1', c: '2' }, map: { k: '1', l: '1' } }),
      schema('Tight'),
      apply('a', { obj: { c: '2' }, map: { l: '1' } }),
    ],
    object: { obj: { a: '1', c: '2' }, map: { k: '1', l: '1' } },
    owners: { a: ['.map.l', '.obj.c'] },
  },
  {
    name: 'an updater is pulled up, too',
    ops: [
      schema('Tight'),
      update('u', { map: { k: '1', l: '1' }, set: ['e', 'f'] }),
      schema('Loose'),
      update('v', { map: { k: '1', l: '1' }, set: ['e', 'f'], s: 'x' }),
    ],
    object: { map: { k: '1', l: '1' }, set: ['e', 'f'], s: 'x' },
    owners: { 'u*': ['.map', '.set'], 'v*': ['.s'] },
  },
  // Versions
  {
    name: 'an applier of another version is the same',
    ops: [apply('a', { s: 'x', n: 1 }), apply('a', { s: 'x' }, 'v2')],
    object: { s: 'x' },
    owners: { 'a v2': ['.s'] },
  },
  {
    name: 'conflicts are found across versions',
    ops: [apply('a', { s: 'x' }), apply('o', { s: 'y' }, 'v2')],
    object: { s: 'x' },
    owners: { a: ['.s'] },
    told: [[1, 'a .s']],
  },
  {
    name: 'an updater has an entry a version',
    ops: [update('u', { s: 'x' }), update('u', { s: 'x', n: 1 }, 'v2')],
    object: { s: 'x', n: 1 },
    owners: { 'u*': ['.s'], 'u* v2': ['.n'] },
  },
  {
    name: 'an element is kept for who owns it in another version',
    ops: [apply('a', { set: ['a', 'b'] }), apply('o', { set: ['b'] }, 'v2'), apply('a', { set: ['a'] }, 'v3')],
    object: { set: ['a', 'b'] },
    owners: { 'o v2': ['.set[="b"]'], 'a v3': ['.set[="a"]'] },
  },
  {
    name: 'managers of a version that is gone are forgotten',
    ops: [apply('a', { s: 'x', n: 1 }), update('u', { s: 'x', n: 1, b: true }), apply('o', { s: 'y' }, 'v2')],
    served: ['v2'],
    object: { s: 'y', n: 1, b: true },
    owners: { 'o v2': ['.s'] },
  },
  {
    name: 'fields that were applied in a removed version stay',
    ops: [apply('a', { s: 'x', n: 1 }), apply('a', { s: 'x' }, 'v2')],
    served: ['v2'],
    object: { s: 'x', n: 1 },
    owners: { 'a v2': ['.s'] },
  },
  // Fields that are reset
  {
    name: 'a reset field has no applier',
    ops: [apply('a', { s: 'x', obj: { a: '1' } })],
    reset: [['obj']],
    object: { s: 'x', obj: { a: '1' } },
    owners: { a: ['.s'] },
  },
  {
    name: 'a reset field has no updater',
    ops: [update('u', { s: 'x', obj: { a: '1', c: '1' } })],
    reset: [['obj', 'a'], ['s']],
    object: { s: 'x', obj: { a: '1', c: '1' } },
    owners: { 'u*': ['.obj', '.obj.c'] },
  },
  {
    name: 'a reset field causes no conflict',
    ops: [update('u', { s: 'x' }), apply('a', { s: 'y' })],
    reset: [['s']],
    object: { s: 'y' },
    owners: {},
  },
]
