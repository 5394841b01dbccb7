import { expect } from 'chai'
import { decodeContinue, encodeContinue } from '../../../src/registry/continue-token.ts'
import { key, revision } from '../../../src/storage/revision.ts'

const prefix = key('/registry/pods/')
const token = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
const raw = (text: string) => Buffer.from(text).toString('base64url')
const v = 'meta.k8s.io/v1'

describe('continue tokens', () => {
  it('are decoded to what was encoded', () => {
    const start = key('/registry/pods/default/web-1\0')
    expect(decodeContinue(encodeContinue(start, prefix, revision(42)), prefix)).to.deep.equal({ start, revision: 42 })
    expect(decodeContinue(encodeContinue(start, prefix, -1), prefix)).to.deep.equal({ start, revision: -1 })
  })

  it('are decoded as Go does: member names in any case, null ignored, line ends skipped', () => {
    const text = token({ V: v, Rv: 5, START: 'a', v: null })
    expect(decodeContinue(`${text.slice(0, 5)}\n${text.slice(5)}`, prefix)).to.deep.equal({ start: '/registry/pods/a', revision: 5 })
  })

  it('are decoded if kube-apiserver encoded them', () => {
    const upstream = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJkZWZhdWx0L2FcdTAwMDAifQ'
    expect(decodeContinue(upstream, prefix)).to.deep.equal({ start: '/registry/pods/default/a\0', revision: 5 })
  })

  const refused: [string, string, string][] = [
    ['a start that climbs out', token({ v, rv: 5, start: '../../services/x' }), 'continue key is not valid: ../../services/x'],
    ['a start that climbs out behind a slash', token({ v, rv: 5, start: '/../x' }), 'continue key is not valid: /../x'],
    ['an empty segment', token({ v, rv: 5, start: 'a//b' }), 'continue key is not valid: a//b'],
    ['no start', token({ v, rv: 5, start: '' }), 'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)'],
    ['no version', token({ rv: 5, start: 'a' }), 'continue key is not valid: server does not recognize this encoded version '],
    [
      'revision zero',
      token({ v, rv: 0, start: 'a' }),
      'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      'a number with an exponent',
      raw(`{"v":"${v}","rv":1e3,"start":"a"}`),
      'cannot unmarshal number 1e3 into Go struct field continueToken.rv of type int64',
    ],
    ['a number beyond int64', raw(`{"v":"${v}","rv":9223372036854775808,"start":"a"}`), 'cannot unmarshal number 9223372036854775808 into'],
    [
      'a revision of another type',
      token({ v, rv: '5', start: 'a' }),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      'a start of another type',
      token({ v, rv: 5, start: [] }),
      'json: cannot unmarshal array into Go struct field continueToken.start of type string',
    ],
    ['a value other than an object', token([]), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [
      'a prototype',
      raw(`{"__proto__":{"v":"${v}","rv":5,"start":"a"}}`),
      'continue key is not valid: server does not recognize this encoded version ',
    ],
    ['text other than base64', 'a*b', 'continue key is not valid: illegal base64 data at input byte 1'],
  ]
  for (const [what, text, message] of refused)
    it(`are refused: ${what}`, () => {
      expect(() => decodeContinue(text, prefix)).to.throw(message)
    })
})
