import { boolean, defineConfig } from '#platform/config/index.ts';

export const ticketingSettings = defineConfig({
  seatShield: boolean({
    group: 'Ticketing',
    env: 'URR_SEAT_SHIELD',
    default: true,
    help: 'Refuse seats that are surely taken from Redis, before the database is asked. Without Redis it does nothing.',
  }),
});
