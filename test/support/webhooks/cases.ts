import type { WebhookKind } from '../../../src/admission/webhooks/webhook.ts'
import { ODD_ANSWERS, ODD_PATCHES } from './odd-answers.ts'

type Json = Record<string, unknown>

/** A webhook in a configuration of its own. */
export interface CaseHook {
  readonly kind: WebhookKind
  /** Behaviour of the webhook: a path of ACTS. */
  readonly path: string
  readonly more?: Json
}

/** `{ns}` stands for the namespace of the case. */
export interface CaseRequest {
  readonly do: string
  readonly body?: unknown
  readonly type?: string
}

/** A request with webhooks, its result, and the reviews that the webhooks receive. */
export interface WebhookCase {
  readonly id: string
  readonly hooks: readonly CaseHook[]
  /** Before there are webhooks. */
  readonly before?: readonly CaseRequest[]
  readonly request: CaseRequest
  /** Whether reviews are recorded, not only their number. */
  readonly seen?: boolean
}

/** Group of the kind Widget, in the versions v1 (stored) and v1beta1. */
export const GROUP = 'webhooks.example.com'

const mutating = (path: string, more: Json = {}): CaseHook => ({ kind: 'mutating', path, more })
const validating = (path: string, more: Json = {}): CaseHook => ({ kind: 'validating', path, more })

const MAPS = '/api/v1/namespaces/{ns}/configmaps'
const WIDGETS = `/apis/${GROUP}/v1/namespaces/{ns}/widgets`
const map = (more: Json = {}): Json => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' }, ...more })
const labelled = (labels: Json): Json => map({ metadata: { name: 'a', labels } })
const widget = (more: Json = {}): Json => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  metadata: { name: 'a' },
  spec: { a: 'x', replicas: 1 },
  ...more,
})
const create: CaseRequest = { do: `POST ${MAPS}`, body: map() }
const createWidget: CaseRequest = { do: `POST ${WIDGETS}`, body: widget() }
const rule = (more: Json = {}): { rules: Json[] } => ({
  rules: [{ operations: ['*'], apiGroups: [GROUP], apiVersions: ['*'], resources: ['widgets', 'widgets/*'], ...more }],
})
const when = (...expressions: string[]): Json => ({ matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })) })
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

const VERDICTS = [
  'deny',
  'deny-bare',
  'deny-reason',
  'deny-message',
  'warn',
  'wrong-uid',
  'no-type',
  'wrong-version',
  'wrong-kind',
  'status',
  'no-response',
]
const BODIES = ['empty', 'no-json', 'broken-json', 'bad-type', 'bad-base64', '500', '500-json', '500-status', '404', '400', '403']
const PATCHES = [
  'label',
  'no-patch-type',
  'no-patch',
  'other-type',
  'empty-type',
  'empty-patch',
  'patch-no-json',
  'patch-missing',
  'patch-test',
  'patch-operation',
]
const OBJECTS = ['patch-data', 'patch-label', 'patch-name', 'patch-invalid', 'patch-unknown', 'patch-managers', 'patch-no-managers']
const TENS = '[1,2,3,4,5,6,7,8,9,10]'
const COSTLY = ['a', 'b', 'c', 'd', 'e', 'f'].reduceRight((inner, name) => `${TENS}.all(${name}, ${inner})`, 'true')

export const WEBHOOK_CASES: readonly WebhookCase[] = [
  { id: 'create', hooks: [mutating('/ok'), validating('/ok')], request: create, seen: true },
  {
    id: 'create with options',
    hooks: [validating('/ok')],
    request: { ...create, do: `POST ${MAPS}?fieldManager=me&fieldValidation=Strict` },
    seen: true,
  },
  {
    id: 'create with a prefix',
    hooks: [mutating('/ok'), validating('/ok')],
    request: { do: `POST ${MAPS}`, body: map({ metadata: { generateName: 'gen-' } }) },
    seen: true,
  },
  { id: 'create as a dry-run', hooks: [mutating('/ok')], request: { ...create, do: `POST ${MAPS}?dryRun=All` }, seen: true },
  { id: 'the older review', hooks: [mutating('/label', { admissionReviewVersions: ['v1beta1', 'v1'] })], request: create, seen: true },
  { id: 'the older review is lax', hooks: [mutating('/no-type', { admissionReviewVersions: ['v1beta1'] })], request: create },
  {
    id: 'update',
    before: [create],
    hooks: [mutating('/ok'), validating('/ok')],
    request: { do: `PUT ${MAPS}/a`, body: map({ data: { a: '2' } }) },
    seen: true,
  },
  {
    id: 'patch',
    before: [create],
    hooks: [mutating('/ok')],
    request: { do: `PATCH ${MAPS}/a?fieldManager=pm`, body: { data: { b: 'x' } }, type: MERGE },
    seen: true,
  },
  {
    id: 'apply',
    hooks: [mutating('/ok')],
    request: { do: `PATCH ${MAPS}/a?fieldManager=am&force=true`, body: map(), type: APPLY },
    seen: true,
  },
  {
    id: 'delete',
    before: [create],
    hooks: [mutating('/ok'), validating('/ok')],
    request: { do: `DELETE ${MAPS}/a?propagationPolicy=Background&gracePeriodSeconds=0` },
    seen: true,
  },
  {
    id: 'delete with a body',
    before: [create],
    hooks: [validating('/ok')],
    request: { do: `DELETE ${MAPS}/a`, body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: {}, gracePeriodSeconds: 3 } },
    seen: true,
  },
  { id: 'delete is refused', before: [create], hooks: [validating('/deny')], request: { do: `DELETE ${MAPS}/a` } },
  { id: 'delete is patched', before: [create], hooks: [mutating('/label')], request: { do: `DELETE ${MAPS}/a` } },
  { id: 'delete a collection', before: [create], hooks: [validating('/ok')], request: { do: `DELETE ${MAPS}` }, seen: true },
  {
    id: 'delete a collection of none',
    before: [create],
    hooks: [validating('/deny')],
    request: { do: `DELETE ${MAPS}?labelSelector=x%3Dy` },
  },
  ...[...VERDICTS, ...BODIES, 'no-patch-type', 'no-patch', 'empty-patch'].map(path => ({
    id: `validating ${path}`,
    hooks: [validating(`/${path}`)],
    request: create,
  })),
  ...['deny', 'wrong-uid', '500', 'warn', 'bad-type', ...PATCHES, ...OBJECTS].map(path => ({
    id: `mutating ${path}`,
    hooks: [mutating(`/${path}`)],
    request: { ...create, body: labelled({ l: 'x' }) },
  })),
  { id: 'ignored: no success', hooks: [mutating('/500', { failurePolicy: 'Ignore' })], request: create },
  { id: 'ignored: another uid', hooks: [validating('/wrong-uid', { failurePolicy: 'Ignore' })], request: create },
  { id: 'not ignored: a refusal', hooks: [validating('/deny', { failurePolicy: 'Ignore' })], request: create },
  { id: 'not ignored: a bad patch', hooks: [mutating('/patch-missing', { failurePolicy: 'Ignore' })], request: create },
  { id: 'timeout', hooks: [validating('/silent', { timeoutSeconds: 1 })], request: create },
  { id: 'timeout, ignored', hooks: [validating('/silent', { timeoutSeconds: 1, failurePolicy: 'Ignore' })], request: create },
  { id: 'an object that is not selected', hooks: [validating('/deny', { objectSelector: { matchLabels: { x: 'y' } } })], request: create },
  {
    id: 'an object that is selected',
    hooks: [validating('/deny', { objectSelector: { matchLabels: { x: 'y' } } })],
    request: { ...create, body: labelled({ x: 'y' }) },
  },
  { id: 'a condition that is false', hooks: [validating('/deny', when('object.metadata.name != "a"'))], request: create },
  {
    id: 'a condition about the request',
    hooks: [
      validating(
        '/deny',
        when(
          'request.operation == "CREATE" && request.kind.kind == "ConfigMap" && request.namespace == object.metadata.namespace',
          'oldObject == null && !request.dryRun && request.options.kind == "CreateOptions"',
        ),
      ),
    ],
    request: create,
  },
  { id: 'conditions that fail', hooks: [validating('/deny', when('object.data.x == "x"', 'object.data.y == "x"'))], request: create },
  { id: 'a condition that fails', hooks: [mutating('/ok', when('object.data.x == "x"'))], request: create },
  {
    id: 'a condition that fails beside one that is false',
    hooks: [validating('/deny', when('object.data.x == "x"', 'false'))],
    request: create,
  },
  {
    id: 'a condition that fails, ignored',
    hooks: [validating('/deny', { failurePolicy: 'Ignore', ...when('object.data.x == "x"') })],
    request: create,
  },
  { id: 'a condition that costs too much', hooks: [validating('/ok', when(COSTLY))], request: create },
  {
    id: 'a condition that asks the authorizer',
    hooks: [validating('/deny', when('authorizer.requestResource.check("create").allowed()'))],
    request: create,
  },
  { id: 'conditions see no namespace', hooks: [validating('/deny', when('namespaceObject.metadata.name != "x"'))], request: create },
  { id: 'one after the other', hooks: [mutating('/label'), mutating('/ok')], request: create, seen: true },
  { id: 'changes are seen by those that validate', hooks: [mutating('/label'), validating('/ok')], request: create, seen: true },
  { id: 'asked again', hooks: [mutating('/first', { reinvocationPolicy: 'IfNeeded' }), mutating('/second')], request: create },
  { id: 'not asked again', hooks: [mutating('/first'), mutating('/second')], request: create },
  {
    id: 'all asked again',
    hooks: [mutating('/first', { reinvocationPolicy: 'IfNeeded' }), mutating('/second', { reinvocationPolicy: 'IfNeeded' })],
    request: create,
  },
  { id: 'a name is changed', hooks: [mutating('/patch-name'), validating('/ok')], request: create, seen: true },
  {
    id: 'a name is given',
    hooks: [mutating('/name'), validating('/ok')],
    request: { do: `POST ${MAPS}`, body: map({ metadata: { generateName: 'gen-' } }) },
    seen: true,
  },
  {
    id: 'an update is patched',
    before: [create],
    hooks: [mutating('/label'), validating('/ok')],
    request: { do: `PATCH ${MAPS}/a`, body: { data: { b: 'x' } }, type: MERGE },
    seen: true,
  },
  {
    id: 'an update changes the name',
    before: [create],
    hooks: [mutating('/patch-name')],
    request: { do: `PATCH ${MAPS}/a`, body: { data: { b: 'x' } }, type: MERGE },
  },
  {
    id: 'an update that changes nothing',
    before: [create],
    hooks: [mutating('/ok'), validating('/ok')],
    request: { do: `PATCH ${MAPS}/a`, body: {}, type: MERGE },
  },
  { id: 'an apply is patched', hooks: [mutating('/label')], request: { do: `PATCH ${MAPS}/a?fieldManager=am`, body: map(), type: APPLY } },
  {
    id: 'an invalid object is mutated first',
    hooks: [mutating('/deny'), validating('/ok')],
    request: { ...create, body: map({ metadata: { name: 'Not_A_Name' } }) },
  },
  {
    id: 'an invalid object is not validated',
    hooks: [mutating('/ok'), validating('/deny')],
    request: { ...create, body: map({ metadata: { name: 'Not_A_Name' } }) },
  },
  { id: 'an object that is there is validated', before: [create], hooks: [mutating('/ok'), validating('/ok')], request: create },
  {
    id: 'another version is expected',
    before: [create],
    hooks: [mutating('/ok'), validating('/ok')],
    request: { do: `PUT ${MAPS}/a`, body: map({ metadata: { name: 'a', resourceVersion: '1' } }) },
  },
  { id: 'nothing is there to update', hooks: [mutating('/ok'), validating('/ok')], request: { do: `PUT ${MAPS}/a`, body: map() } },
  { id: 'nothing is there to delete', hooks: [mutating('/ok'), validating('/deny')], request: { do: `DELETE ${MAPS}/a` } },
  {
    id: 'a uid that must be is another',
    before: [create],
    hooks: [mutating('/ok'), validating('/deny')],
    request: { do: `DELETE ${MAPS}/a`, body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } } },
  },
  { id: 'custom: create', hooks: [mutating('/ok', rule())], request: createWidget, seen: true },
  {
    id: 'custom: another version',
    hooks: [mutating('/custom-spec', rule({ apiVersions: ['v1beta1'] })), validating('/ok', rule({ apiVersions: ['v1beta1'] }))],
    request: createWidget,
    seen: true,
  },
  {
    id: 'custom: exactly this version',
    hooks: [mutating('/custom-spec', { matchPolicy: 'Exact', ...rule({ apiVersions: ['v1beta1'] }) })],
    request: createWidget,
  },
  {
    id: 'custom: unknown fields stay till the end',
    hooks: [mutating('/custom-spec', rule()), validating('/ok', rule())],
    request: createWidget,
    seen: true,
  },
  { id: 'custom: against the schema', hooks: [mutating('/custom-bad', rule())], request: createWidget },
  { id: 'custom: another kind', hooks: [mutating('/custom-kind', rule())], request: createWidget },
  { id: 'custom: labels that are none', hooks: [mutating('/custom-labels', rule())], request: createWidget },
  {
    id: 'custom: scale',
    before: [createWidget],
    hooks: [mutating('/replicas', rule()), validating('/ok', rule())],
    request: { do: `PATCH ${WIDGETS}/a/scale`, body: { spec: { replicas: 4 } }, type: MERGE },
  },
  { id: 'custom: delete', before: [createWidget], hooks: [validating('/ok', rule())], request: { do: `DELETE ${WIDGETS}/a` }, seen: true },
  {
    id: 'custom: a condition in another version',
    hooks: [
      validating('/deny', {
        ...rule({ apiVersions: ['v1beta1'] }),
        ...when(
          'request.kind.version == "v1beta1" && request.resource.version == "v1" && object.apiVersion.endsWith("v1beta1") && request.requestKind.version == "v1"',
        ),
      }),
    ],
    request: createWidget,
  },
  { id: 'not trusted', hooks: [validating('/ok', { untrusted: true })], request: create },
  ...[...Object.keys(ODD_PATCHES), ...Object.keys(ODD_ANSWERS)].map(path => ({
    id: `mutating ${path}`,
    hooks: [mutating(path)],
    request: create,
  })),
  ...[...Object.keys(ODD_ANSWERS)]
    .filter(path => path.startsWith('/odd/response-'))
    .map(path => ({ id: `validating ${path}`, hooks: [validating(path)], request: create })),
]
