import type { PodSecurityPolicy } from '../../../api/policy/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validatePodSecurityPolicy } from './validation.ts'

const table: TableDefinition<PodSecurityPolicy> = {
  columns: [
    nameColumn,
    column('Priv', 'Whether containers may be privileged.'),
    column('Caps', 'Capabilities that containers may request.'),
    column('SELinux', 'Rule for SELinux labels.'),
    column('RunAsUser', 'Rule for the user of containers.'),
    column('FsGroup', 'Rule for the file system group of volumes.'),
    column('SupGroup', 'Rule for supplemental groups.'),
    column('ReadOnlyRootFs', 'Whether the root filesystem must be read-only.'),
    column('Volumes', 'Volume types that pods may use.'),
  ],
  cells: ({ metadata, spec }) => [
    metadata.name ?? '',
    String(spec.privileged ?? false),
    (spec.allowedCapabilities ?? []).join(','),
    spec.seLinux.rule,
    spec.runAsUser.rule,
    spec.fsGroup.rule ?? '',
    spec.supplementalGroups.rule ?? '',
    spec.readOnlyRootFilesystem ?? false,
    (spec.volumes ?? []).join(','),
  ],
}

const v1beta1: Version<PodSecurityPolicy> = {
  group: 'policy',
  name: 'v1beta1',
  kind: 'PodSecurityPolicy',
  names: { plural: 'podsecuritypolicies', singular: 'podsecuritypolicy', shortNames: ['psp'] },
  verbs: STANDARD_VERBS,
  schema: types.type('policyV1beta1.PodSecurityPolicy'),
  // The field was added later: policies without it stay permissive.
  setDefaults({ spec }) {
    spec.allowPrivilegeEscalation ??= true
  },
  table,
}

/**
 * Restrictions on pods, until release 1.24. Policies are stored and validated but not enforced, since the admission
 * plugin PodSecurityPolicy is not implemented.
 * https://v1-24.docs.kubernetes.io/docs/concepts/security/pod-security-policy/ Source of its rules:
 * pkg/registry/policy/podsecuritypolicy.
 */
export const podSecurityPolicyResource = defineResource<PodSecurityPolicy>({
  scope: 'Cluster',
  versions: [v1beta1],
  hub: v1beta1,
  storage: { prefix: 'podsecuritypolicy', version: v1beta1 },
  strategy: { validateName: nameIsDnsSubdomain, returnsDeleted: true, validate: validatePodSecurityPolicy },
})
