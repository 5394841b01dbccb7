import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  AuthorizationConfigError,
  parseAuthorizationConfiguration,
} from '../../../../../src/auth/authz/configuration/configuration-file.ts'
import { metricStateOf } from '../../../../../src/lifecycle/metric-lives.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'

const RULES = { release: '1.33', structured: true, selectors: true } as const

/** Tables of upstream's TestValidateAuthorizationConfiguration, with the messages that users see. */
describe('parseAuthorizationConfiguration', () => {
  let folder: string
  let kubeconfig: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-authz-'))
    kubeconfig = join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, '')
  })
  after(() => rmSync(folder, { recursive: true }))

  const file = (authorizers: unknown, apiVersion = 'apiserver.config.k8s.io/v1'): Buffer =>
    Buffer.from(JSON.stringify({ apiVersion, kind: 'AuthorizationConfiguration', authorizers }))
  const webhook = (members: object = {}): object => ({
    timeout: '5s',
    authorizedTTL: '5m',
    unauthorizedTTL: '30s',
    failurePolicy: 'NoOpinion',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: kubeconfig },
    ...members,
  })
  const one = (members?: object): Buffer => file([{ type: 'Webhook', name: 'default', webhook: webhook(members) }])
  const fault = (
    bytes: Buffer,
    rules: { release: Release; structured: boolean; selectors: boolean } = RULES,
    required: string[] = [],
  ): string => {
    try {
      parseAuthorizationConfiguration(bytes, rules, required)
      return ''
    } catch (error) {
      if (error instanceof AuthorizationConfigError) return error.message.replaceAll(folder, '')
      throw error
    }
  }

  it('parses a chain, with defaults', () => {
    const bytes = file([
      {
        type: 'Webhook',
        name: 'panda',
        webhook: webhook({ authorizedTTL: '0s', unauthorizedTTL: undefined, failurePolicy: 'Deny', timeout: '1500ms' }),
      },
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
    ])
    expect(parseAuthorizationConfiguration(bytes, RULES)).to.deep.equal([
      {
        type: 'Webhook',
        name: 'panda',
        webhook: {
          kubeconfigFile: kubeconfig,
          timeoutMs: 1500,
          authorizedTtlMs: 300_000,
          unauthorizedTtlMs: 30_000,
          version: 'v1',
          onFailure: 'deny',
          expressions: [],
        },
      },
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
    ])
  })

  it('disables caching on request, from 1.34 on', () => {
    const bytes = one({ cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false })
    const [entry] = parseAuthorizationConfiguration(bytes, { ...RULES, release: '1.34' })
    expect(entry).to.deep.include({ type: 'Webhook' })
    expect(entry).to.nested.include({ 'webhook.authorizedTtlMs': 0, 'webhook.unauthorizedTtlMs': 0 })
    expect(fault(bytes)).to.equal(
      'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "authorizers[0].webhook.cacheAuthorizedRequests", unknown field "authorizers[0].webhook.cacheUnauthorizedRequests"',
    )
  })

  it('accepts the versions of the release', () => {
    const versions: [string, Release, boolean][] = [
      ['v1alpha1', '1.29', true],
      ['v1alpha1', '1.28', false],
      ['v1beta1', '1.30', true],
      ['v1beta1', '1.29', false],
      ['v1', '1.32', true],
      ['v1', '1.31', false],
    ]
    for (const [version, release, isRead] of versions) {
      const text = fault(file([{ type: 'RBAC', name: 'rbac' }], `apiserver.config.k8s.io/${version}`), { ...RULES, release })
      expect(text, `${version} in ${release}`).to.equal(
        isRead
          ? ''
          : `failed to load AuthorizationConfiguration from file: no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io/${version}" in scheme "pkg/runtime/scheme.go:110"`,
      )
    }
  })

  const first = 'authorizers[0]'
  const cases: [title: string, bytes: () => Buffer, message: string][] = [
    ['nothing', () => Buffer.alloc(0), 'authorizers: Required value: at least one authorization mode must be defined'],
    ['no authorizers', () => file([]), 'authorizers: Required value: at least one authorization mode must be defined'],
    ['no type', () => file([{ name: 'foo' }]), `${first}.type: Required value`],
    ['no name', () => file([{ type: 'RBAC' }]), `${first}.name: Required value`],
    [
      'a name twice',
      () =>
        file([
          { type: 'RBAC', name: 'rbac' },
          { type: 'Webhook', name: 'rbac', webhook: webhook() },
        ]),
      'authorizers[1].name: Duplicate value: "rbac"',
    ],
    [
      'an invalid name',
      () => file([{ type: 'RBAC', name: 'FOO.example.domain' }]),
      `${first}.name: Invalid value: "FOO.example.domain": authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['several webhooks', () => file(['a', 'b'].map(name => ({ type: 'Webhook', name, webhook: webhook() }))), ''],
    [
      'an unknown type',
      () => file([{ type: 'Foo', name: 'foo' }]),
      `${first}.type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"`,
    ],
    [
      'a type twice',
      () =>
        file([
          { type: 'RBAC', name: 'rbac' },
          { type: 'RBAC', name: 'foo' },
        ]),
      'authorizers[1].type: Duplicate value: "RBAC"',
    ],
    ['no webhook', () => file([{ type: 'Webhook', name: 'foo' }]), `${first}.webhook: Required value: required when type=Webhook`],
    [
      'a webhook of another type',
      () => file([{ type: 'RBAC', name: 'rbac', webhook: {} }]),
      `${first}.webhook: Invalid value: "non-null": may only be specified when type=Webhook`,
    ],
    ['no timeout', () => one({ timeout: undefined }), `${first}.timeout: Required value`],
    ['a zero timeout', () => one({ timeout: '0s' }), `${first}.timeout: Required value`],
    ['a negative timeout', () => one({ timeout: '-30s' }), `${first}.timeout: Invalid value: "-30s": must be > 0s and <= 30s`],
    ['a long timeout', () => one({ timeout: '60s' }), `${first}.timeout: Invalid value: "1m0s": must be > 0s and <= 30s`],
    ['a negative authorizedTTL', () => one({ authorizedTTL: '-30s' }), `${first}.authorizedTTL: Invalid value: "-30s": must be > 0s`],
    ['a negative unauthorizedTTL', () => one({ unauthorizedTTL: '-30s' }), `${first}.unauthorizedTTL: Invalid value: "-30s": must be > 0s`],
    ['no version', () => one({ subjectAccessReviewVersion: '' }), `${first}.subjectAccessReviewVersion: Required value`],
    [
      'another version',
      () => one({ subjectAccessReviewVersion: 'v2beta1' }),
      `${first}.subjectAccessReviewVersion: Unsupported value: "v2beta1": supported values: "v1", "v1beta1"`,
    ],
    [
      'match conditions without a version',
      () => one({ matchConditionSubjectAccessReviewVersion: '', matchConditions: [{ expression: 'true' }] }),
      `${first}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`,
    ],
    [
      'match conditions of an unsupported version',
      () => one({ matchConditionSubjectAccessReviewVersion: 'v1beta1' }),
      `${first}.matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"`,
    ],
    ['no failure policy', () => one({ failurePolicy: undefined }), `${first}.failurePolicy: Required value`],
    [
      'another failure policy',
      () => one({ failurePolicy: 'AlwaysAllow' }),
      `${first}.failurePolicy: Unsupported value: "AlwaysAllow": supported values: "NoOpinion", "Deny"`,
    ],
    ['no connection', () => one({ connectionInfo: {} }), `${first}.connectionInfo.type: Required value`],
    [
      'a connection of another kind',
      () => one({ connectionInfo: { type: 'ExternalClusterConfig' } }),
      `${first}.connectionInfo.type: Unsupported value: apiserver.WebhookConnectionInfo{Type:"ExternalClusterConfig", KubeConfigFile:(*string)(nil)}: supported values: "InClusterConfig", "KubeConfigFile"`,
    ],
    [
      'a file without type KubeConfigFile',
      () => one({ connectionInfo: { type: 'InClusterConfig', kubeConfigFile: '/x' } }),
      `${first}.connectionInfo.kubeConfigFile: Invalid value: "/x": can only be set when type=KubeConfigFile`,
    ],
    [
      'the in-cluster connection',
      () => one({ connectionInfo: { type: 'InClusterConfig' } }),
      `${first}.connectionInfo.type: Invalid value: "InClusterConfig": is not implemented: name a kubeconfig with type=KubeConfigFile`,
    ],
    ['no file', () => one({ connectionInfo: { type: 'KubeConfigFile' } }), `${first}.connectionInfo.kubeConfigFile: Required value`],
    [
      'a relative file',
      () => one({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '../some/kubeconfig' } }),
      `${first}.connectionInfo.kubeConfigFile: Invalid value: "../some/kubeconfig": must be an absolute path`,
    ],
    [
      'a missing file',
      () => one({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: join(folder, 'none') } }),
      `${first}.connectionInfo.kubeConfigFile: Invalid value: "/none": error loading file: stat /none: no such file or directory`,
    ],
    [
      'a folder',
      () => one({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: `${folder}/` } }),
      `${first}.connectionInfo.kubeConfigFile: Invalid value: "/": must be a regular file`,
    ],
    [
      'an unknown member',
      () => file([{ type: 'RBAC', name: 'rbac', foo: 1 }]),
      'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "authorizers[0].foo"',
    ],
    [
      'an invalid timeout',
      () => one({ timeout: 'soon' }),
      'failed to load AuthorizationConfiguration from file: time: invalid duration "soon"',
    ],
    ['another name', () => file([{ type: 'RBAC', name: 'foo' }]), 'expected name rbac for authorizer RBAC instead of foo'],
    ['an empty condition', () => one({ matchConditions: [{ expression: ' ' }] }), `${first}.matchConditions[0].expression: Required value`],
    [
      'a condition twice',
      () => one({ matchConditions: [{ expression: 'true' }, { expression: 'true' }] }),
      `${first}.matchConditions[1].expression: Duplicate value: "true"`,
    ],
    [
      'a condition that is not boolean',
      () => one({ matchConditions: [{ expression: 'request.user' }] }),
      `${first}.matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool but got string`,
    ],
    [
      'a condition about something else',
      () => one({ matchConditions: [{ expression: "('group3' in request.group)" }] }),
      `${first}.matchConditions[0].expression: Invalid value: "('group3' in request.group)": compilation failed: ERROR: <input>:1:21: undefined field 'group'\n | ('group3' in request.group)\n | ....................^`,
    ],
    [
      'too many conditions',
      () => one({ matchConditions: Array.from({ length: 65 }, (_, i) => ({ expression: `${i} == 0` })) }),
      `${first}.matchConditions: Too many: 65: must have at most 64 items`,
    ],
  ]
  for (const [title, bytes, message] of cases) it(title, () => expect(fault(bytes())).to.equal(message))

  it('requires the previous modes in a changed file', () => {
    expect(fault(file([{ type: 'RBAC', name: 'rbac' }]), RULES, ['RBAC', 'Node'])).to.equal('missing required types: [Node]')
  })

  it('allows selectors in conditions if the gate is on', () => {
    const bytes = one({ matchConditions: [{ expression: 'has(request.resourceAttributes.fieldSelector)' }] })
    expect(fault(bytes)).to.equal('')
    expect(fault(bytes, { ...RULES, selectors: false })).to.match(/undefined field 'fieldSelector'/)
  })

  it('has metrics since 1.30', () => {
    const classIn = (name: string, release: Release) => metricStateOf(`apiserver_authorization_${name}`, 'ALPHA', release)?.stability
    expect([classIn('webhook_evaluations_total', '1.29'), classIn('webhook_evaluations_total', '1.30')]).to.deep.equal([undefined, 'ALPHA'])
    expect(classIn('config_controller_automatic_reloads_total', '1.34')).to.equal('BETA')
  })
})
