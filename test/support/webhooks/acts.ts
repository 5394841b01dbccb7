import type { Act } from './webhook-server.ts'

type Json = Record<string, unknown>
type Review = {
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly object: { readonly metadata: { readonly labels?: Json } } }
}

const answer = ({ apiVersion, request }: Review, response: Json): Json => ({
  apiVersion,
  kind: 'AdmissionReview',
  response: { uid: request.uid, allowed: true, ...response },
})
const patch = (operations: unknown[], patchType = 'JSONPatch'): Json => ({
  patchType,
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
const add = (path: string, value: unknown) => ({ op: 'add', path, value })
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })

/** A response with these members, in a review that fits the question. */
const says =
  (response: Json): Act =>
  review =>
    answer(review as Review, response)
/** A body as it stands. */
const writes =
  (body: string, code = 200, type = 'application/json'): Act =>
  (_review, res) =>
    void res.writeHead(code, { 'content-type': type }).end(body)
/** A whole review. */
const reviews =
  (make: (uid: string, apiVersion: string) => Json): Act =>
  review =>
    make((review as Review).request.uid, (review as Review).apiVersion)

const V1 = 'admission.k8s.io/v1'
const STATUS = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'own words', code: 418, reason: 'Teapot' }
const DETAILS = { name: 'x', causes: [{ message: 'c', field: 'f', reason: 'R' }] }
const ODD_MANAGER = { manager: 'x', operation: 'Odd', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }

/** Behaviours of webhooks in the cases, by path. */
export const ACTS: Readonly<Record<string, Act>> = {
  '/ok': says({}),
  '/label': says(patch([add('/metadata/labels', { hooked: 'yes' })])),
  '/deny': says({ allowed: false, status: { message: 'no way', code: 418, reason: 'Teapot', details: DETAILS } }),
  '/deny-bare': says({ allowed: false }),
  '/deny-reason': says({ allowed: false, status: { reason: 'Because', code: 200, status: 'Success' } }),
  '/deny-message': says({ allowed: false, status: { message: 'only words' } }),
  '/warn': says({ warnings: ['first warning', 'second "quoted"'] }),
  '/wrong-uid': says({ uid: 'nope' }),
  '/no-type': reviews(uid => ({ response: { uid, allowed: true } })),
  '/wrong-version': reviews(uid => ({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', response: { uid, allowed: true } })),
  '/wrong-kind': reviews(uid => ({ apiVersion: V1, kind: 'Foo', response: { uid, allowed: true } })),
  '/status': () => STATUS,
  '/no-response': reviews((_uid, apiVersion) => ({ apiVersion, kind: 'AdmissionReview' })),
  '/empty': writes(''),
  '/no-json': writes('hello'),
  '/broken-json': writes('{"a":'),
  '/bad-type': says({ allowed: 'yes' }),
  '/bad-base64': says({ patchType: 'JSONPatch', patch: '%%%' }),
  '/500': writes('broken', 500, 'text/plain'),
  '/500-json': writes('{"a":1}', 500),
  '/500-status': writes(JSON.stringify(STATUS), 500),
  '/404': writes('nothing', 404, 'text/plain'),
  '/400': writes('nothing', 400, 'text/plain'),
  '/403': writes('nothing', 403, 'text/plain'),
  '/no-patch-type': says({ patch: Buffer.from('[]').toString('base64') }),
  '/no-patch': says({ patchType: 'JSONPatch' }),
  '/other-type': says(patch([{ op: 'remove', path: '/data' }], 'Merge')),
  '/empty-type': says(patch([{ op: 'remove', path: '/data' }], '')),
  '/empty-patch': says(patch([])),
  '/patch-no-json': says({ patchType: 'JSONPatch', patch: Buffer.from('nope').toString('base64') }),
  '/patch-missing': says(patch([{ op: 'remove', path: '/data/none' }])),
  '/patch-test': says(patch([{ op: 'test', path: '/data/a', value: 'zzz' }])),
  '/patch-operation': says(patch([{ op: 'frob', path: '/data/a', value: 'zzz' }])),
  '/patch-data': says(patch([replace('/data', 'text')])),
  '/patch-label': says(patch([replace('/metadata/labels', { a: 1 })])),
  '/patch-name': says(patch([replace('/metadata/name', 'other')])),
  '/name': says(patch([add('/metadata/name', 'named')])),
  '/patch-invalid': says(patch([add('/metadata/labels', { 'bad label': 'x y' })])),
  '/patch-unknown': says(patch([add('/unknown', 1)])),
  '/patch-managers': says(patch([add('/metadata/managedFields', [ODD_MANAGER])])),
  '/patch-no-managers': says(patch([{ op: 'remove', path: '/metadata/managedFields' }])),
  '/silent': () => undefined,
  '/first': review =>
    answer(
      review as Review,
      (review as Review).request.object.metadata.labels?.second
        ? patch([add('/metadata/labels/again', 'yes')])
        : patch([add('/metadata/labels', { first: 'yes' })]),
    ),
  '/second': says(patch([add('/metadata/labels/second', 'yes')])),
  '/custom-spec': says(patch([add('/spec', { a: 'hooked', unknown: 1, replicas: 3 })])),
  '/custom-bad': says(patch([add('/spec/a', 5)])),
  '/custom-kind': says(patch([replace('/kind', 'Other')])),
  '/custom-labels': says(patch([replace('/metadata', { name: 'x', labels: { a: 1 } })])),
  '/replicas': says(patch([replace('/spec/replicas', 7)])),
}
