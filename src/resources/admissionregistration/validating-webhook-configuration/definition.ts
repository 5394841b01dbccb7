import { webhookConfiguration } from '../webhook/configuration.ts'
import { setWebhookDefaults } from '../webhook/defaults.ts'

export const validatingWebhookConfigurationResource = webhookConfiguration('ValidatingWebhookConfiguration', setWebhookDefaults)
