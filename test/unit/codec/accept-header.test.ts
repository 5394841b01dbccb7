import { expect } from 'chai'
import {
  type Accepted,
  BUILTIN_MEDIA_TYPES,
  negotiateInput,
  negotiateOutput,
  negotiateStream,
  notAcceptableText,
  prefersPretty,
  resourceRules,
  routeAccepts,
} from '../../../src/codec/accept-header.ts'

const json = 'application/json'
const yaml = 'application/yaml'
const protobuf = 'application/vnd.kubernetes.protobuf'
const short = (accepted: Accepted | undefined): string =>
  accepted
    ? `${accepted.mediaType}${accepted.as ? ` ${accepted.as.kind}.${accepted.as.version}` : ''}${accepted.pretty ? ' pretty' : ''}${accepted.stream ? ' stream' : ''}`
    : '-'

describe('negotiateOutput', () => {
  const table: [string | undefined, string][] = [
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['*', json],
    ['application/*', json],
    ['text/*', '-'],
    ['application/xml', '-'],
    ['Application/JSON', '-'],
    ['application/json; charset=utf-8', json],
    ['application/yaml', yaml],
    [`${protobuf},application/json`, protobuf],
    ['application/yaml;q=0.5,application/json', json],
    ['application/yaml;q=0.5,application/json;q=0.4', yaml],
    ['*/*,application/yaml', yaml],
    ['*/*;q=1,application/yaml;q=0.1', yaml],
    ['text/html,application/xhtml+xml,*/*;q=0.8', json],
    ['application/json;pretty=1', `${json} pretty`],
    ['application/json;stream=watch', `${json} stream`],
    ['application/yaml;stream=watch', '-'],
    ['application/json;stream=other', '-'],
    ['application/json;sv=v1', '-'],
    ['application/json;as=Table;g=meta.k8s.io;v=v1', `${json} Table.v1`],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', `${json} Table.v1beta1`],
    ['application/json;as=Table;v=v2;g=meta.k8s.io, application/json', json],
    ['application/json;as=Table;v=v1;g=other', '-'],
    ['application/json;as=Nothing;v=v1;g=meta.k8s.io', '-'],
    [`${protobuf};as=Table;v=v1;g=meta.k8s.io,application/json`, json],
    [`${protobuf};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`, `${protobuf} PartialObjectMetadataList.v1`],
    ['application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', `${yaml} PartialObjectMetadata.v1`],
    ['application', '-'],
    ['application/json/x', '-'],
    [',, application/yaml ,', yaml],
    ['application/json;q=x,application/yaml;q=0.1', yaml],
  ]
  for (const [accept, want] of table)
    it(String(accept), () => expect(short(negotiateOutput(accept, BUILTIN_MEDIA_TYPES, resourceRules()))).to.equal(want))

  it('allows no transform by default', () => {
    expect(negotiateOutput('application/json;as=Table;g=meta.k8s.io;v=v1', BUILTIN_MEDIA_TYPES)).to.equal(undefined)
  })

  it('supports types that only serve transforms', () => {
    const rules = resourceRules(new Set([json, yaml]))
    expect(short(negotiateOutput(`${protobuf},application/json;q=0.5`, BUILTIN_MEDIA_TYPES, rules))).to.equal(json)
    expect(short(negotiateOutput(`${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`, BUILTIN_MEDIA_TYPES, rules))).to.equal(
      `${protobuf} PartialObjectMetadata.v1`,
    )
  })
})

describe('negotiateStream', () => {
  const table: [string, string][] = [
    ['application/json', json],
    [`${protobuf};stream=watch`, `${protobuf} stream`],
    ['application/yaml', '-'],
    ['application/yaml,application/json;q=0.5', '-'],
  ]
  for (const [accept, want] of table)
    it(accept, () => expect(short(negotiateStream(accept, BUILTIN_MEDIA_TYPES, resourceRules()))).to.equal(want))

  it('lists the streaming types', () => {
    expect(notAcceptableText(BUILTIN_MEDIA_TYPES, true)).to.equal(
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    )
  })
})

describe('negotiateInput', () => {
  const table: [string | undefined, string | undefined][] = [
    [undefined, json],
    ['', json],
    ['application/json', json],
    ['APPLICATION/JSON; charset="utf-8"', json],
    ['application/json;', json],
    ['application/json; charset', undefined],
    ['application/json; a=1; a=2', undefined],
    ['application/yaml', yaml],
    [protobuf, protobuf],
    ['text/plain', undefined],
    ['application/merge-patch+json', undefined],
    ['json', undefined],
    ['application/json, text/plain', undefined],
  ]
  for (const [type, want] of table) it(String(type), () => expect(negotiateInput(type, BUILTIN_MEDIA_TYPES)).to.equal(want))
})

describe('routeAccepts', () => {
  const table: [string | undefined, boolean][] = [
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/*', false],
    ['application/json;q=0', true],
    ['text/plain, application/yaml', true],
    ['Application/JSON', false],
  ]
  for (const [accept, want] of table) it(String(accept), () => expect(routeAccepts(accept, [json, yaml])).to.equal(want))
})

describe('prefersPretty', () => {
  const table: [string | null, string, boolean][] = [
    ['true', 'x', true],
    ['1', 'x', true],
    ['false', 'curl/8', false],
    ['maybe', 'curl/8', false],
    [null, 'curl/8', true],
    ['', 'Mozilla/5.0 (X11)', true],
    [null, 'kubectl/v1.33', false],
  ]
  for (const [query, agent, want] of table) it(`${query} ${agent}`, () => expect(prefersPretty(query, agent)).to.equal(want))
})
