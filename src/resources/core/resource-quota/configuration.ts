import { join } from 'node:path'
import { initError, type PluginConfigurations, pluginConfiguration } from '../../../admission/configuration-file.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { fieldErrorText, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import type { LimitedResource } from './admission/check-request.ts'

const PLUGIN = 'ResourceQuota'

/** Accepted versions and kinds. The first versions of the kind had another name and the same fields. */
const KINDS: ReadonlySet<string> = new Set([
  'apiserver.config.k8s.io/v1 ResourceQuotaConfiguration',
  'resourcequota.admission.k8s.io/v1beta1 Configuration',
  'resourcequota.admission.k8s.io/v1alpha1 Configuration',
])

/**
 * Reads the resources that require a quota from the plugin's configuration. Throws AdmissionConfigError with upstream's
 * message.
 */
export function limitedResources(configurations: PluginConfigurations): readonly LimitedResource[] {
  const given = pluginConfiguration(configurations, PLUGIN, (version, kind) =>
    KINDS.has(`${version} ${kind}`) ? configurationType() : undefined,
  ) as { readonly limitedResources?: readonly Partial<LimitedResource>[] } | undefined
  const limited = (given?.limitedResources ?? []).map(({ resource = '', ...rest }) => ({ resource, ...rest }))
  const errors = limited.flatMap(({ resource }, i) =>
    resource === '' ? [required(fieldPath('limitedResources').index(i).child('resource'))] : [],
  )
  if (errors.length > 0) throw initError(PLUGIN, aggregate(errors.map(fieldErrorText)))
  return limited
}

/** Loads the declarations on demand, that is, if there is a configuration. */
const configurationType = () =>
  new TypeRegistry().addFile('resourcequota', join(import.meta.dirname, 'resource-quota.types')).type('resourcequota.Configuration')
