import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of admission.k8s.io, in which webhooks are asked whether a request may pass. They are sent to other servers and read from them, and never served. The older version is the same.
 */
export const admissionTypes: readonly TypePackage[] = [
  {
    id: 'admission',
    definition: 'io.k8s.api.admission.v1',
    source: `
type AdmissionRequest
  uid 1 UID
  kind 2 meta.GroupVersionKind
  resource 3 meta.GroupVersionResource
  subResource 4 string?
  requestKind 13 *meta.GroupVersionKind?
  requestResource 14 *meta.GroupVersionResource?
  requestSubResource 15 string?
  name 5 string?
  namespace 6 string?
  operation 7 string
  userInfo 8 authentication.UserInfo
  object 9 RawExtension?
  oldObject 10 RawExtension?
  dryRun 11 *bool?
  options 12 RawExtension?

type AdmissionResponse
  uid 1 UID
  allowed 2 bool
  status 3 *meta.Status?
  patch 4 bytes?
  patchType 5 *string?
  auditAnnotations 6 map[string]string?
  warnings 7 []string?

type AdmissionReview typemeta
  request 1 *AdmissionRequest?
  response 2 *AdmissionResponse?
`,
  },
  {
    id: 'admissionV1beta1',
    definition: 'io.k8s.api.admission.v1beta1',
    source: 'types AdmissionRequest AdmissionResponse AdmissionReview like admission',
  },
]
