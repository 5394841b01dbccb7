import type { ServiceCIDR } from '../../../api/networking/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { isGivenEmpty } from '../../../meta/empty-members.ts'
import { type FieldError, immutableError, invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseCidr, validateCidrStrict } from '../../../meta/ip.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { keepMetadata } from '../../shared/status-metadata.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'

const PATH = fieldPath('spec', 'cidrs')
/**
 * Validates one CIDR, or one of each family, in canonical form. Source: pkg/apis/networking/validation in
 * k8s.io/kubernetes.
 */
function validateCidrs(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(PATH, 'at least one CIDR required')]
  if (cidrs.length > 2) {
    const printed = goValue('networking.ServiceCIDRSpec', { cidrs: [...cidrs] })
    return [invalid(PATH, printed, 'may only hold up to 2 values')]
  }
  const errors = cidrs.flatMap((cidr, i) => validateCidrStrict(PATH.index(i), cidr))
  const [first, second] = cidrs.map(cidr => parseCidr(cidr)?.family)
  if (cidrs.length === 2 && first !== undefined && first === second) {
    errors.push(invalid(PATH, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'))
  }
  return errors
}

/** Validates a ServiceCIDR. CIDRs are immutable; since 1.33 one of the other family may be added. */
function validateServiceCIDR(next: ServiceCIDR, old: ServiceCIDR | undefined, { features }: HookContext): FieldError[] {
  const cidrs = next.spec.cidrs ?? []
  if (!old) return validateCidrs(cidrs)
  const before = old.spec.cidrs ?? []
  const isDual = before.length === 1 && cidrs.length === 2 && isSince(features.release, '1.33')
  if (before.length !== cidrs.length && !isDual)
    return [immutableError(PATH, goStringList(next.spec.cidrs ?? (isGivenEmpty(next.spec, 'cidrs') ? [] : undefined)))]
  // CIDRs are validated again only if one is added: an update may keep a CIDR that a create would reject.
  const changed = before.flatMap((cidr, i) => (cidr === cidrs[i] ? [] : [immutableError(PATH.index(i), cidrs[i])]))
  return isDual ? [...changed, ...validateCidrs(cidrs)] : changed
}

const table: TableDefinition<ServiceCIDR> = {
  columns: [nameColumn, column('CIDRs', 'Ranges of service addresses.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', (spec.cidrs ?? []).join(','), age(metadata.creationTimestamp, now)],
}

const v1: Version<ServiceCIDR> = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'ServiceCIDR',
  names: { plural: 'servicecidrs', singular: 'servicecidr' },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.ServiceCIDR'),
  table,
  subresources: {
    status: {
      verbs: STATUS_VERBS,
      strategy: {
        resetFields: [['spec']],
        prepare(next, old, { features }) {
          if (!old) return
          next.spec = old.spec
          if (isSince(features.release, '1.32')) keepMetadata(next, old)
        },
        validate: () => [],
      },
    },
  },
}

/** Differs from v1 only in name. Release 1.33 stores this version. */
const v1beta1: Version<ServiceCIDR> = { ...v1, name: 'v1beta1', schema: types.type('networkingV1beta1.ServiceCIDR') }

/** The version that releases before 1.31 serve and store. */
const v1alpha1: Version<ServiceCIDR> = { ...v1, name: 'v1alpha1', schema: types.type('networkingV1alpha1.ServiceCIDR') }

/**
 * A range of cluster IPs. Addresses are allocated from it unless its condition `Ready` is False. The server creates one
 * from its flags, named `kubernetes`. Source of its rules: pkg/registry/networking/servicecidr.
 */
export const serviceCIDRResource = defineResource<ServiceCIDR>({
  scope: 'Cluster',
  versions: [v1, v1beta1, v1alpha1],
  hub: v1,
  storage: { prefix: 'servicecidrs', version: v1beta1 },
  neededByServer: true,
  strategy: {
    validateName: nameIsDnsSubdomain,
    resetFields: [['status']],
    prepare(next, old, { features }) {
      // Before 1.36 a client may write the status here as well.
      if (features.enabled('ServiceCIDRStatusFieldWiping')) next.status = old ? old.status : {}
    },
    validate: validateServiceCIDR,
  },
})
