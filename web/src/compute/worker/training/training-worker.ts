// The training Worker: it has the module that can train, with one thread, which is as fast for models this small.
import { loadTril } from 'tril/training';
import { serve } from '../serve';
import { work } from './sessions';

serve(loadTril, work);
