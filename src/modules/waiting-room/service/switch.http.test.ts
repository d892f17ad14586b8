import { expect, test } from 'vitest';
import { aQueueOfEras, aWaitingRoom } from '../testing/a-waiting-room.ts';

test('a process that dies while it switches a room on leaves no queue shut behind a room that is off', async () => {
  const queue = aQueueOfEras();
  let dies = true;
  const room = await aWaitingRoom({
    queue: {
      ...queue,
      async switchRoom(call) {
        const answer = await queue.switchRoom(call);
        if (call.on && dies) throw new Error('killed before it could write that down');
        return answer;
      },
    },
  });
  const eventId = room.anEvent();
  const fails = async () => {
    dies = true;
    expect((await room.act('activate', eventId)).statusCode).toBe(500);
    expect(queue.eras.get(eventId)).toMatchObject({ on: true });
    await room.runJob('refresh');
    await room.runJob('follow');
    expect(queue.eras.get(eventId)).toMatchObject({ on: false });
    dies = false;
  };
  await fails();
  // It was never on, so there is none.
  expect((await room.act('pause', eventId)).statusCode).toBe(404);
  expect((await room.call('GET', `/vwr/status/${eventId}`)).statusCode).toBe(404);
  expect((await room.act('activate', eventId)).statusCode).toBe(200);
  expect(await room.assign(eventId)).toMatchObject({ position: 1 });
  await room.act('deactivate', eventId);
  await fails();
  expect((await room.act('activate', eventId)).statusCode).toBe(200);
  await room.runJob('follow');
  expect(queue.eras.get(eventId)).toMatchObject({ on: true });
});
