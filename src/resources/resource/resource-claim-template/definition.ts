import type { ResourceClaimTemplate as BetaTemplate } from '../../../api/resource/v1beta1.types.ts'
import type { DeviceClaim, ResourceClaimTemplate } from '../../../api/resource/v1beta2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateTemplateMeta } from '../../core/volume/claim-template.ts'
import { NAME_AND_AGE } from '../../shared/columns.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateAdminAccess } from '../admin-access.ts'
import { validateClaimSpec } from '../claim-spec.ts'
import { devicesFromHub, devicesToHub } from '../conversion.ts'
import { setOlderRequestDefaults, setRequestDefaults } from '../defaults.ts'
import { type Differences, otherVersion, resourceVersion } from '../version.ts'

/** Upstream uses the path of a claim. */
const REQUESTS = fieldPath('spec', 'devices', 'requests')

const devicesOf = ({ spec }: ResourceClaimTemplate): DeviceClaim => spec.spec.devices

function* validateTemplateSpec({ spec }: ResourceClaimTemplate, stored: boolean, ctx: HookContext): Steps<FieldError[]> {
  const errors = yield* validateClaimSpec(spec.spec, stored, fieldPath('spec', 'spec'), ctx)
  return [...validateTemplateMeta(spec.metadata, fieldPath('spec', 'metadata')), ...errors]
}

/** Validates a template. An update reports errors twice, as upstream does, and a change of the spec in between. */
function* validateClaimTemplate(
  next: ResourceClaimTemplate,
  old: ResourceClaimTemplate | undefined,
  ctx: HookContext,
): Steps<FieldError[]> {
  const errors = yield* validateTemplateSpec(next, false, ctx)
  if (!old) return errors
  if (!(yield* deepEqualBySize(next.spec, old.spec)))
    errors.push(immutableError(fieldPath('spec'), goValue('resource.ResourceClaimTemplateSpec', next.spec)))
  return [...errors, ...(yield* validateTemplateSpec(next, true, ctx))]
}

const setTemplateDefaults = (template: ResourceClaimTemplate): void => setRequestDefaults(devicesOf(template))

const v1beta2: Version<ResourceClaimTemplate> = {
  ...resourceVersion('ResourceClaimTemplate', { plural: 'resourceclaimtemplates', singular: 'resourceclaimtemplate' }),
  setDefaults: setTemplateDefaults,
  table: NAME_AND_AGE,
}

const OLDER: Differences<BetaTemplate, ResourceClaimTemplate> = {
  toHub: ({ spec, ...template }) => ({ ...template, spec: { ...spec, spec: { ...spec.spec, devices: devicesToHub(spec.spec.devices) } } }),
  fromHub: ({ spec, ...template }) => ({
    ...template,
    spec: { ...spec, spec: { ...spec.spec, devices: devicesFromHub(spec.spec.devices) } },
  }),
  setDefaults: ({ spec }) => setOlderRequestDefaults(spec.spec.devices),
}

const v1 = otherVersion<ResourceClaimTemplate, ResourceClaimTemplate>(v1beta2, 'v1', { setDefaults: setTemplateDefaults })
const v1beta1 = otherVersion(v1beta2, 'v1beta1', OLDER)

/**
 * Template of the claims that are created for pods. It is immutable.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-template-v1/
 * Source of its rules: pkg/registry/resource/resourceclaimtemplate.
 */
export const resourceClaimTemplateResource = defineResource<ResourceClaimTemplate>({
  scope: 'Namespaced',
  versions: [v1, v1beta2, v1beta1, otherVersion(v1beta2, 'v1alpha3', OLDER)],
  hub: v1beta2,
  storage: { prefix: 'resourceclaimtemplates', version: v1beta1 },
  strategy: {
    metaRounds: ['change', 'whole'],
    returnsDeleted: true,
    // Upstream runs no declarative validation for this kind, although its types have rules.
    declaredRules: false,
    validate: validateClaimTemplate,
    evaluate: async (next, old, ctx) =>
      old
        ? []
        : validateAdminAccess(
            (devicesOf(next).requests ?? []).map(({ exactly }) => exactly),
            next.metadata.namespace ?? '',
            REQUESTS,
            ctx,
          ),
  },
})
