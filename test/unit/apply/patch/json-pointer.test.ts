import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../src/api/meta/object.ts'
import { PatchError } from '../../../../src/apply/patch/error.ts'
import { jsonPatchSteps } from '../../../../src/apply/patch/json.ts'
import { partlySortedJson } from '../../../../src/codec/json.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { applyJsonPatch } from '../../../support/at-once.ts'

const doc: JsonObject = { spec: { a: [1, 2, { c: 'd' }, null], o: { k: 'v' }, s: 'text', l: [[1, 2], [3]] } }

/** Operations with the errors of kube-apiserver 1.33, as an admission webhook that returns them shows them. */
const faults: readonly (readonly [JsonObject, string])[] = [
  [{ op: 'add' }, 'add operation failed to decode path: missing value'],
  [{ op: 'remove', path: 1 }, 'remove operation failed to decode path: missing value'],
  [{ op: 'copy', from: '/spec/s' }, 'copy operation failed to decode path: missing value'],
  [{ op: 'replace', value: 1 }, 'replace operation failed to decode path: operation missing path field: missing value'],
  [{ op: 'replace', path: 1 }, 'replace operation failed to decode path: json: cannot unmarshal number into Go value of type string'],
  [{ op: 'test', value: 1 }, 'test operation failed to decode path: operation missing path field: missing value'],
  [{ op: 'test', path: 1 }, 'test operation failed to decode path: json: cannot unmarshal number into Go value of type string'],
  [{ op: 'move', path: '/spec/s' }, 'move operation failed to decode from: operation, missing from field: missing value'],
  [{ op: 'move', from: null, path: '/spec/s' }, 'move operation failed to decode from: operation, missing from field: missing value'],
  [
    { op: 'move', from: 1, path: '/spec/s' },
    'move operation failed to decode from: json: cannot unmarshal number into Go value of type string',
  ],
  [{ op: 'move', from: '/spec/s' }, 'move operation failed to decode path: operation missing path field: missing value'],
  [{ op: 'copy', path: '/spec/s' }, 'copy operation failed to decode from: operation, missing from field: missing value'],
  [
    { op: 'copy', from: 1, path: '/spec/s' },
    'copy operation failed to decode from: json: cannot unmarshal number into Go value of type string',
  ],

  [
    { op: 'add', path: '/spec/a/x' },
    `error in add for path: '/spec/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [{ op: 'add', path: '/spec/a/5' }, "error in add for path: '/spec/a/5': Unable to access invalid index: 5: invalid index referenced"],
  [{ op: 'add', path: '/spec/a/-6' }, "error in add for path: '/spec/a/-6': Unable to access invalid index: -6: invalid index referenced"],
  [
    { op: 'move', from: '/spec/s', path: '/spec/a/x' },
    `error in move for path: '/spec/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    { op: 'move', from: '/spec/s', path: '/spec/a/9' },
    "error in move for path: '/spec/a/9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'copy', from: '/spec/s', path: '/spec/a/x' },
    `error while adding value during copy: value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    { op: 'copy', from: '/spec/s', path: '/spec/a/9' },
    'error while adding value during copy: Unable to access invalid index: 9: invalid index referenced',
  ],

  [{ op: 'move', from: '/spec/a/-', path: '/spec/q' }, `error in move for path: '-': strconv.Atoi: parsing "-": invalid syntax`],
  [
    { op: 'move', from: '/spec/a/9', path: '/spec/q' },
    "error in move for path: '9': Unable to access invalid index: 9: invalid index referenced",
  ],
  [
    { op: 'move', from: '/spec/none', path: '/spec/q' },
    "error in move for path: 'none': Unable to remove nonexistent key: none: missing value",
  ],
  [{ op: 'copy', from: '/spec/a/-', path: '/spec/q' }, `error in copy for from: '/spec/a/-': strconv.Atoi: parsing "-": invalid syntax`],
  [
    { op: 'copy', from: '/spec/a/-5', path: '/spec/q' },
    "error in copy for from: '/spec/a/-5': Unable to access invalid index: -5: invalid index referenced",
  ],
  [{ op: 'test', path: '/spec/a/', value: 1 }, `error in test for path: '/spec/a/': strconv.Atoi: parsing "": invalid syntax`],
  [
    { op: 'test', path: '/spec/a/+4', value: 1 },
    "error in test for path: '/spec/a/+4': Unable to access invalid index: 4: invalid index referenced",
  ],
  [
    { op: 'test', path: '/spec/a/99999999999999999999', value: 1 },
    `error in test for path: '/spec/a/99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range`,
  ],
  [{ op: 'remove', path: '/spec/a/1.0' }, `error in remove for path: '/spec/a/1.0': strconv.Atoi: parsing "1.0": invalid syntax`],
  [
    { op: 'remove', path: '/spec/a/4' },
    "error in remove for path: '/spec/a/4': Unable to access invalid index: 4: invalid index referenced",
  ],
  [{ op: 'remove', path: '/spec/none' }, "error in remove for path: '/spec/none': Unable to remove nonexistent key: none: missing value"],
  [{ op: 'replace', path: '/spec/a/-', value: 1 }, 'replace operation does not apply: doc is missing key: /spec/a/-: missing value'],

  [{ op: 'add', path: '/spec/l/-/0' }, 'add operation does not apply: doc is missing path: "/spec/l/-/0": missing value'],
  [{ op: 'add', path: '/spec/l/9/0' }, 'add operation does not apply: doc is missing path: "/spec/l/9/0": missing value'],
  [{ op: 'remove', path: '/spec/s/0' }, 'remove operation does not apply: doc is missing path: "/spec/s/0": missing value'],
  [{ op: 'replace', path: '/spec/a/x/y', value: 1 }, 'replace operation does not apply: doc is missing path: /spec/a/x/y: missing value'],
  [{ op: 'test', path: '/spec/a/3/c', value: 1 }, 'test operation does not apply: is missing path: /spec/a/3/c: missing value'],
  [
    { op: 'move', from: '/spec/l/9/0', path: '/spec/q' },
    'move operation does not apply: doc is missing from path: /spec/l/9/0: missing value',
  ],
  [
    { op: 'move', from: '/spec/a/0', path: '/spec/a/3/c' },
    'move operation does not apply: doc is missing destination path: /spec/a/3/c: missing value',
  ],
  [
    { op: 'copy', from: '/spec/l/-/0', path: '/spec/q' },
    'copy operation does not apply: doc is missing from path: /spec/l/-/0: missing value',
  ],
  [
    { op: 'copy', from: '/spec/s', path: '/spec/none/x/y' },
    'copy operation does not apply: doc is missing destination path: /spec/none/x/y: missing value',
  ],
  [{ op: 'test', path: '/spec/s', value: 'v' }, 'testing value /spec/s failed: test failed'],
]

const messageOf = (patch: Json): string => {
  try {
    return `applied: ${JSON.stringify(applyJsonPatch(doc, patch))}`
  } catch (error) {
    return error instanceof PatchError ? error.message : String(error)
  }
}

describe('an operation of a JSON patch that does not apply', () => {
  for (const [operation, message] of faults)
    it(`${JSON.stringify(operation)} fails in the words of kube-apiserver`, () => expect(messageOf([operation])).to.equal(message))
})

describe('a copy in a JSON patch', () => {
  it('is printed with sorted members if an earlier operation has read its source', () => {
    const decoded = new WeakSet<object>()
    const patch = [
      { op: 'add', path: '/o/a', value: 1 },
      { op: 'copy', from: '/o', path: '/p' },
      { op: 'copy', from: '/q', path: '/r' },
    ]
    const patched = runAtOnce(jsonPatchSteps({ o: { z: 1 }, q: { z: 1, b: 2 } }, patch, { decoded }))
    expect(partlySortedJson(patched, decoded)).to.equal('{"o":{"a":1,"z":1},"p":{"a":1,"z":1},"q":{"z":1,"b":2},"r":{"z":1,"b":2}}')
  })
})
