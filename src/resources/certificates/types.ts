import type { TypePackage } from '../../schema/idl.ts'
import { olderCertificateTypes } from './older-types.ts'

/** The types of certificates.k8s.io/v1. */
export const certificatesTypes: TypePackage = {
  id: 'certificates',
  definition: 'io.k8s.api.certificates.v1',
  source: `
enum KeyUsage any "cert sign" "client auth" "code signing" "content commitment" "crl sign" "data encipherment" "decipher only" "digital signature" "email protection" "encipher only" "ipsec end system" "ipsec tunnel" "ipsec user" "key agreement" "key encipherment" "microsoft sgc" "netscape sgc" "ocsp signing" s/mime "server auth" signing timestamping

type CertificateSigningRequest typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 CertificateSigningRequestSpec
  status 3 CertificateSigningRequestStatus?

type CertificateSigningRequestCondition
  type 1 string
  status 6 string
  reason 2 string?
  message 3 string?
  lastUpdateTime 4 Time?
  lastTransitionTime 5 Time?

type CertificateSigningRequestList typemeta
  metadata 1 meta.ListMeta?
  items 2 []CertificateSigningRequest

type CertificateSigningRequestSpec
  request 1 bytes strayatomic
  signerName 7 string
  expirationSeconds 8 *int32?
  usages 5 []KeyUsage? atomic
  username 2 string?
  uid 3 string?
  groups 4 []string? atomic
  extra 6 map[string][]string?

type CertificateSigningRequestStatus
  conditions 1 []CertificateSigningRequestCondition? map(type)
  certificate 2 bytes? strayatomic
`,
}

/** The same in both versions. */
const clusterTrustBundle = `
type ClusterTrustBundle typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ClusterTrustBundleSpec

type ClusterTrustBundleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ClusterTrustBundle

type ClusterTrustBundleSpec
  signerName 1 string?
  trustBundle 2 string
`

/** The types of certificates.k8s.io/v1beta1. */
export const certificatesV1beta1Types: TypePackage = {
  id: 'certificatesv1beta1',
  definition: 'io.k8s.api.certificates.v1beta1',
  source: clusterTrustBundle + olderCertificateTypes,
}

/** The types of certificates.k8s.io/v1alpha1. */
export const certificatesV1alpha1Types: TypePackage = {
  id: 'certificatesv1alpha1',
  definition: 'io.k8s.api.certificates.v1alpha1',
  source: clusterTrustBundle,
}
