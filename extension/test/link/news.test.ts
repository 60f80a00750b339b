import { expect, it } from 'vitest';
import { createPortNews } from '../../src/link/news';
import { createLanes } from '../../src/trust/lanes';
import { testClock, testConnection } from '../util';

function setUp(tell?: () => Promise<void>) {
  const told: unknown[] = [];
  const logged: string[] = [];
  const clock = testClock();
  const news = createPortNews(tell ?? (async (items) => void told.push(items.bridgePort)), clock, (m) => logged.push(m));
  return { told, logged, clock, news, lanes: createLanes(news.spoken) };
}

it('tells of a host once it has spoken, once, and of its end', () => {
  const { told, clock, news, lanes } = setUp();
  const connection = testConnection();
  lanes.openControl(connection);
  lanes.openControl(connection);
  news.detached(connection);
  expect(told).toEqual([{ state: 'spoken', at: clock.now() }, { state: 'down', at: clock.now() }]);
});

it('tells of a connection that was verified, which comes after the first word', () => {
  const { told, clock, news, lanes } = setUp();
  const connection = testConnection();
  lanes.openControl(connection);
  news.verified(connection);
  expect(told).toEqual([{ state: 'spoken', at: clock.now() }, { state: 'verified', at: clock.now() }]);
  news.verified(testConnection());
  news.detached(connection);
  news.verified(connection);
  expect(told).toHaveLength(3);
});

it('does not tell of a port behind which nobody spoke', () => {
  const { told, news, lanes } = setUp();
  news.detached(testConnection());
  lanes.openControl(testConnection());
  news.detached(testConnection());
  expect(told).toHaveLength(1);
});

it('a browser that does not take it is logged', async () => {
  const { logged, news } = setUp(() => Promise.reject(new Error('quota')));
  news.spoken(testConnection());
  await Promise.resolve();
  await Promise.resolve();
  expect(logged).toEqual(['pages: quota']);
});
