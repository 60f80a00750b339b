import { mount } from '../../ui/mount';
import { Options } from '../../ui/options';

void mount(Options);
