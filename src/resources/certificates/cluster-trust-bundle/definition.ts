import type { ClusterTrustBundle } from '../../../api/certificates/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validateClusterTrustBundle } from './validation.ts'

const table: TableDefinition<ClusterTrustBundle> = {
  columns: [nameColumn, column('SignerName', 'Signer of the certificates.')],
  cells: ({ metadata, spec }) => [metadata.name ?? '', spec.signerName || '<none>'],
}

const v1beta1: Version<ClusterTrustBundle> = {
  group: 'certificates.k8s.io',
  name: 'v1beta1',
  kind: 'ClusterTrustBundle',
  names: { plural: 'clustertrustbundles', singular: 'clustertrustbundle' },
  verbs: STANDARD_VERBS,
  schema: types.type('certificatesv1beta1.ClusterTrustBundle'),
  table,
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
}

/** Differs from v1beta1 only in name, like v1alpha1. */
const v1: Version<ClusterTrustBundle> = { ...v1beta1, name: 'v1', schema: types.type('certificates.ClusterTrustBundle') }

/** The only version of releases before 1.33. */
const v1alpha1: Version<ClusterTrustBundle> = {
  ...v1beta1,
  name: 'v1alpha1',
  schema: types.type('certificatesv1alpha1.ClusterTrustBundle'),
}

/**
 * Trust anchors, of a signer or in general. All versions are equal. v1, of 1.37, is served by default.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#cluster-trust-bundles
 * Source of its rules: pkg/registry/certificates/clustertrustbundle.
 */
export const clusterTrustBundleResource = defineResource<ClusterTrustBundle>({
  scope: 'Cluster',
  versions: [v1, v1beta1, v1alpha1],
  hub: v1beta1,
  storage: { prefix: 'clustertrustbundles', version: v1alpha1 },
  // `validate` checks the rest of the name, which depends on the signer.
  strategy: {
    allowUnconditionalUpdate: false,
    metaRounds: ['change', 'whole'],
    validateName: nameIsPathSegment,
    validate: validateClusterTrustBundle,
  },
})
