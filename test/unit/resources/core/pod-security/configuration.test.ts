import { expect } from 'chai'
import { goJson } from '../../../../../src/codec/json.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { podSecurityConfiguration } from '../../../../../src/resources/core/pod-security/configuration.ts'
import { levelText } from '../../../../../src/resources/core/pod-security/level.ts'

const GROUP = 'pod-security.admission.config.k8s.io'
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

const read = (members: object, { version = 'v1', kind = 'PodSecurityConfiguration', release = '1.33' as Release } = {}) =>
  podSecurityConfiguration(
    new Map([['PodSecurity', Buffer.from(goJson({ apiVersion: `${GROUP}/${version}`, kind, ...members }))]]),
    release,
  )

const levels = (configuration: ReturnType<typeof read>): string[] => Object.values(configuration.defaults).map(levelText)

describe('the configuration of PodSecurity', () => {
  it('is privileged for everything by default', () => {
    const none = podSecurityConfiguration(new Map(), '1.33')
    expect(levels(none)).to.deep.equal(['privileged:latest', 'privileged:latest', 'privileged:latest'])
    expect(none.exemptions.namespaces.size).to.equal(0)
  })
  for (const version of ['v1', 'v1beta1', 'v1alpha1'])
    it(`is parsed in ${version}`, () =>
      expect(
        levels(read({ defaults: { enforce: 'baseline', 'enforce-version': 'v1.30', audit: '', warn: 'restricted' } }, { version })),
      ).to.deep.equal(['baseline:v1.30', 'privileged:latest', 'restricted:latest']))
  it('contains the exemptions', () => {
    const { usernames, namespaces, runtimeClasses } = read({
      exemptions: { usernames: ['u'], namespaces: ['n'], runtimeClasses: ['r.s'] },
    }).exemptions
    expect([...usernames, ...namespaces, ...runtimeClasses]).to.deep.equal(['u', 'n', 'r.s'])
  })

  const INIT = 'failed to apply admission: couldn\'t init admission plugin "PodSecurity": '
  const INVALID = 'failed to apply admission: failed to initialize admission plugin "PodSecurity": PodSecurity '
  const refused: [what: string, read: () => unknown, message: string][] = [
    [
      'a version that the release does not have',
      () => read({}, { release: '1.24' }),
      `${INIT}no kind "PodSecurityConfiguration" is registered for version "${GROUP}/v1" in scheme "pkg/runtime/scheme.go:110"`,
    ],
    [
      'another kind',
      () => read({}, { kind: 'Foo' }),
      `${INIT}no kind "Foo" is registered for version "${GROUP}/v1" in scheme "pkg/runtime/scheme.go:110"`,
    ],
    [
      'unknown members',
      () => read({ defaults: { Enforce: 'baseline', enforceVersion: 'v1.2' } }),
      `${INIT}strict decoding error: unknown field "defaults.Enforce", unknown field "defaults.enforceVersion"`,
    ],
    [
      'another type',
      () => read({ defaults: 1 }),
      `${INIT}json: cannot unmarshal number into Go struct field PodSecurityConfiguration.defaults of type v1.PodSecurityDefaults`,
    ],
    [
      'another type deeper',
      () => read({ exemptions: { runtimeClasses: [1] } }),
      `${INIT}json: cannot unmarshal number into Go struct field PodSecurityExemptions.exemptions.runtimeClasses of type string`,
    ],
    [
      'a level',
      () => read({ defaults: { enforce: 'foo' } }),
      `${INVALID}configuration error: enforce: must be one of privileged, baseline, restricted`,
    ],
    [
      'a level and a version',
      () => read({ defaults: { enforce: 'foo', 'warn-version': 'v2.1' } }),
      `${INVALID}configuration error: [enforce: must be one of privileged, baseline, restricted, warn-version: must be "latest" or "v1.x"]`,
    ],
    [
      'a namespace',
      () => read({ exemptions: { namespaces: ['A_'] } }),
      `${INVALID}invalid: exemptions.namespaces[0]: Invalid value: "A_": ${LABEL}`,
    ],
    [
      'duplicate and empty exemptions',
      () => read({ exemptions: { namespaces: ['a', 'a'], usernames: ['', 'b', 'b'], runtimeClasses: ['c', 'C_'] } }),
      `${INVALID}invalid: [exemptions.namespaces[1]: Duplicate value: "a", exemptions.runtimeClasses[1]: Invalid value: "C_": ${SUBDOMAIN}, ` +
        'exemptions.usernames[0]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "b"]',
    ],
  ]
  for (const [what, run, message] of refused) it(`is refused: ${what}`, () => expect(run).to.throw().with.property('message', message))
})
